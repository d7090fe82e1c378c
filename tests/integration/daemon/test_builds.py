"""The cache of builds and the known-answer gate, with the real programs; compiling itself is tested by make build."""

import shutil
from pathlib import Path

import pytest

from orchestrator.daemon.installed_builds import InstalledBuild, drop_old_builds, list_builds, load_build
from orchestrator.daemon.proofs import load_proofs, prove
from orchestrator.daemon.runner_builds import _run, install_prebuilt
from orchestrator.errors import BuildFailed
from tests.integration.daemon.working import default_variant


class TestInstallPrebuilt:
    def test_the_same_programs_are_one_build(self, build: InstalledBuild, programs: Path) -> None:
        again = install_prebuilt(programs, build.folder.parents[1])

        assert again.build_key == build.build_key
        assert again.report.prebuilt
        assert "own" in again.programs

    def test_a_folder_without_programs_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(BuildFailed, match="no programs"):
            install_prebuilt(tmp_path, tmp_path / "cache")

    def test_a_program_that_was_changed_in_the_cache_is_never_used(self, build: InstalledBuild, tmp_path: Path) -> None:
        shutil.copytree(build.folder, tmp_path / "builds" / build.build_key)
        assert load_build(tmp_path, build.build_key) is not None
        with (tmp_path / "builds" / build.build_key / "ciphermark-own").open("ab") as file:
            file.write(b"!")

        assert load_build(tmp_path, build.build_key) is None
        assert list_builds(tmp_path) == []

    def test_the_cache_is_bounded_but_keeps_what_is_in_use(self, tmp_path: Path) -> None:
        for name in "abcdef":
            (tmp_path / "builds" / name).mkdir(parents=True)
            (tmp_path / "builds" / name / "build.json").touch()

        removed = drop_old_builds(tmp_path, keep="a", kept_builds=2)

        assert len(removed) in (3, 4)
        assert "a" not in removed
        assert (tmp_path / "builds" / "a").is_dir()


class TestRun:
    def test_a_failing_step_tells_its_last_lines(self) -> None:
        seen: list[str] = []
        with pytest.raises(BuildFailed, match=r"ended with 3:\nline 5\n(.|\n)*line 29$"):
            _run(["bash", "-c", "for i in $(seq 0 29); do echo line $i; done; exit 3"], seen.append)
        assert len(seen) == 30


class TestProve:
    def test_every_available_implementation_is_proved(self, build: InstalledBuild) -> None:
        proofs = prove(build, lambda _: None)

        available = [i for r in build.report.runners for i in r.listing.implementations if i.available]
        assert len(proofs.proofs) == len(available)
        assert [proof for proof in proofs.proofs if not proof.passed] == []

    def test_a_proof_counts_for_the_binary_it_was_made_with_alone(self, build: InstalledBuild) -> None:
        prove(build, lambda _: None)
        proofs, variant = load_proofs(build), default_variant(build, "own", "chacha20-256")

        assert proofs.admits(build.binary_sha256("own") or "", "own", "chacha20-256", variant)
        assert not proofs.admits("ee" * 32, "own", "chacha20-256", variant)
        assert "never checked" in proofs.words("own", "chacha20-256", "other")
