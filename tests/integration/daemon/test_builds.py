"""The build cache and the known-answer proofs, with the real programs."""

import shutil
from pathlib import Path

import pytest

from orchestrator.compilation.installed import InstalledBuild, list_builds, load_build
from orchestrator.compilation.native.build import install_prebuilt
from orchestrator.compilation.proofs import load_proofs, prove
from orchestrator.shared.errors import BuildFailed
from tests.support.daemon_bench import default_variant

pytestmark = pytest.mark.untraced


class TestInstallPrebuilt:
    def test_equal_programs_are_one_build(self, build: InstalledBuild, programs: Path) -> None:
        again = install_prebuilt(programs, build.folder.parents[1])

        assert again.build_key == build.build_key
        assert again.report.prebuilt
        assert "own" in again.programs

    def test_folder_without_programs_is_rejected(self, tmp_path: Path) -> None:
        with pytest.raises(BuildFailed, match="no programs"):
            install_prebuilt(tmp_path, tmp_path / "cache")

    def test_changed_program_in_the_cache_is_never_used(self, build: InstalledBuild, tmp_path: Path) -> None:
        shutil.copytree(build.folder, tmp_path / "builds" / build.build_key)
        assert load_build(tmp_path, build.build_key) is not None
        with (tmp_path / "builds" / build.build_key / "ciphermark-own").open("ab") as file:
            file.write(b"!")

        assert load_build(tmp_path, build.build_key) is None
        assert list_builds(tmp_path) == []

    def test_build_of_a_language_from_before_its_driver_is_removed(self, build: InstalledBuild, tmp_path: Path) -> None:
        folder = tmp_path / "builds" / build.build_key
        (folder / "go").mkdir(parents=True)
        (folder / "go" / "ciphermark-go").write_bytes(b"program")
        runner = build.report.runners[0].model_copy(update={"provider": "go", "start": ["{folder}/ciphermark-go"]})
        report = build.report.model_copy(update={"runners": [runner]})
        (folder / "build.json").write_text(report.model_dump_json())

        assert list_builds(tmp_path) == []
        assert not folder.exists()


class TestProve:
    @pytest.mark.long
    def test_every_available_implementation_is_proved(self, build: InstalledBuild) -> None:
        proofs = prove(build, lambda _: None)

        available = [i for r in build.report.runners for i in r.listing.implementations if i.available]
        assert len(proofs.proofs) == len(available)
        assert [proof for proof in proofs.proofs if not proof.passed] == []

    def test_proof_is_valid_for_its_binary_only(self, build: InstalledBuild) -> None:
        prove(build, lambda _: None)
        proofs, variant = load_proofs(build), default_variant(build, "own", "chacha20-256")

        assert proofs.admits(build.binary_sha256("own") or "", "own", "chacha20-256", variant)
        assert not proofs.admits("ee" * 32, "own", "chacha20-256", variant)
        assert "not tested" in proofs.rejection("own", "chacha20-256", "other")
