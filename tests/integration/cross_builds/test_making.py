"""Real cross-builds of small substitute runners: made once, tried under emulation, and stored as an offer."""

import platform
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.builds.cross_builds import list_offers, read_offer
from orchestrator.cli.cross_builds.emulation import find_emulator
from orchestrator.cli.cross_builds.machines import TARGETS
from orchestrator.cli.cross_builds.making import DEFAULT_TOOLCHAIN, CrossBuild, cross_build
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.daemon.builds.cross_built import unpack
from orchestrator.shared.errors import BuildFailed, SetupError
from orchestrator.wire.builds import Toolchain
from tests.support.paths import FIXTURES, REPOSITORY

TARGET = TARGETS["armhf" if platform.machine() != "armv7l" else "aarch64"]
QUIET = BuildObserver(lambda _: None)


@pytest.fixture
def request_(tmp_path: Path) -> CrossBuild:
    """A request for the small runners, with a sysroot that was unpacked before."""
    source, sysroot = tmp_path / "source", tmp_path / "cache" / "sysroots" / TARGET.machine
    shutil.copytree(FIXTURES / "small-runners", source)
    (source / "cmake").mkdir()
    for file in ("TargetLibraries.cmake", Path(TARGET.toolchain_file).name):
        shutil.copy(REPOSITORY / "runners" / "cmake" / file, source / "cmake")
    sysroot.mkdir(parents=True)
    (sysroot / "packages.json").write_text("[]")
    return CrossBuild(source, TARGET, DEFAULT_TOOLCHAIN, tmp_path / "cache")


class TestCrossBuild:
    def test_second_call_finds_the_first_and_the_archive_has_the_files_of_the_manifest(
        self, request_: CrossBuild, tmp_path: Path
    ) -> None:
        made, again = cross_build(request_, QUIET), cross_build(request_, QUIET)

        assert (made.is_new, again.is_new) == (True, False)
        assert again.offer == made.offer
        manifest = made.offer.manifest
        assert manifest.origin.known_answers_passed == 1
        assert manifest.origin.emulator is not None
        assert manifest.missing_providers == {"botan": "not part of these sources"}
        assert {package.architecture for package in manifest.origin.packages} == {"all"}
        assert all(str(tmp_path) not in line for line in manifest.compile_commands.values())
        unpack(made.archive, manifest, tmp_path / "programs")
        assert (tmp_path / "programs" / "ciphermark-own").read_bytes()[:5] == b"\x7fELF\x01"

    @pytest.mark.long
    def test_changed_sources_are_built_again_and_replace_the_archive(self, request_: CrossBuild) -> None:
        first = cross_build(request_, QUIET)
        (request_.source / "src" / "more.txt").write_text("changed")
        second = cross_build(request_, QUIET)

        assert second.is_new
        assert second.offer.manifest.source_sha256 == source_sha256(request_.source)
        assert read_offer(request_.cache_folder, TARGET.machine) == second.offer
        assert [path.name for path in second.archive.parent.glob("*.tar.gz")] == [second.archive.name]
        listed = list_offers(request_.cache_folder, first.offer.manifest.source_sha256)
        assert f"cross-built from sources {second.offer.manifest.source_sha256[:12]}" in listed.absent[TARGET.machine]

    @pytest.mark.long
    def test_failed_known_answers_leave_the_previous_offer(self, request_: CrossBuild) -> None:
        before = cross_build(request_, QUIET)

        with pytest.raises(BuildFailed, match="Every implementation of ciphermark-own failed its known answers"):
            cross_build(replace(request_, toolchain=Toolchain(optimization="Ofast", link="static")), QUIET)
        assert read_offer(request_.cache_folder, TARGET.machine) == before.offer
        assert list(before.archive.parent.glob(".making-*")) == []

    def test_unknown_cpu_is_rejected_by_the_compiler(self, request_: CrossBuild) -> None:
        with pytest.raises(BuildFailed, match="pentium"):
            cross_build(replace(request_, toolchain=Toolchain(march="pentium", link="static")), QUIET)

    @pytest.mark.long
    def test_damaged_archive_is_made_again(self, request_: CrossBuild) -> None:
        made = cross_build(request_, QUIET)
        made.archive.write_bytes(bytes(made.offer.size_bytes))

        assert cross_build(request_, QUIET).is_new


class TestMissingPrograms:
    def test_emulator_is_named_with_its_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "/nonexistent")

        with pytest.raises(SetupError, match="apt-get install qemu-user-static"):
            find_emulator(TARGET)
