"""Offers of a real service, and their installation by the daemon.

The archives contain programs of this machine, compiled from small sources: the installer executes them on the device.
Programs for Arm are made and executed in test_making.py, and by ``make emulated-pi``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.builds.cross_builds import OFFER_FILE, archive_path, cross_builds_folder
from orchestrator.builds.requests import get_usable_builds
from orchestrator.compilation.cpu_features import TargetDevice
from orchestrator.compilation.footprints import find_footprints
from orchestrator.compilation.installed import InstalledBuild, list_builds
from orchestrator.compilation.native.build import build
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.proofs import prove
from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.daemon.builds.cross_built import find_offer, install_cross_built
from orchestrator.daemon.preparation import Preparation
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.status import Status
from orchestrator.shared.errors import BuildFailed, NoRunners, UnsupportedCPU
from orchestrator.shared.resources import shipped
from orchestrator.shared.settings import DaemonSettings
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.cross_builds import CrossBuildOffer
from tests.support import cross_builds
from tests.support.agent_reports import enroll
from tests.support.live_service import Served, serve
from tests.support.paths import FIXTURES

QUIET = BuildObserver(lambda _: None)
PI_3 = TargetDevice("armhf", frozenset({"armv6", "armv7", "vfp", "vfpv3", "neon"}))
PI_1 = TargetDevice("armhf", frozenset({"armv6", "vfp"}))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> InstalledBuild:
    """Small runners of this machine, with their code sizes."""
    cache = tmp_path_factory.mktemp("cache")
    made = build(FIXTURES / "small-runners", Toolchain(link="static"), cache, QUIET)
    find_footprints(made, prove(made, QUIET.progress), QUIET)
    return made


@dataclass(frozen=True)
class Bench:
    """A service, an agent of it, and the cache folder of the agent."""

    served: Served
    agent_id: str
    client: ServiceClient
    cache: Path
    files: dict[str, bytes]

    def offer(self, data: bytes | None = None, **changes: Any) -> CrossBuildOffer:
        """Offer the small runners as cross-built; data: another archive in place of theirs."""
        source = changes.pop("source_sha256", source_sha256(shipped("runners")))
        data = cross_builds.archive(self.files) if data is None else data
        offered = cross_builds.offer("armhf", data, cross_builds.manifest(self.files, source_sha256=source, **changes))
        cross_builds.store(self.served.settings.cache_folder, data, offered)
        return offered

    def install(self, offered: CrossBuildOffer, device: TargetDevice = PI_3) -> InstalledBuild:
        """Install an offer as the daemon does."""
        return install_cross_built(self.client, offered, device, self.cache, QUIET)

    def preparation(self, device: TargetDevice | None = PI_3, **settings: Any) -> Preparation:
        """Return the steps that the daemon executes at its start."""
        folders = {"data_folder": self.cache, "cache_folder": self.cache}
        return Preparation(DaemonSettings.model_validate(folders | settings), self.client, Status(), device)


@pytest.fixture
def bench(tmp_path: Path, compiled: InstalledBuild) -> Iterator[Bench]:
    files = {path.name: path.read_bytes() for path in [*compiled.programs.values(), compiled.launcher]}
    files["code-sizes.json"] = (compiled.folder / "code-sizes.json").read_bytes()
    with serve(tmp_path / "service", cache_folder=tmp_path / "service-cache") as served:
        _, identity = enroll(served)
        with ServiceClient(ServiceAddress(served.url, identity["agent_token"], 60)) as client:
            yield Bench(served, identity["agent_id"], client, tmp_path / "cache", files)


@pytest.fixture
def without_compilers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device on which nothing is installed."""
    monkeypatch.setenv("PATH", "/nonexistent")


class TestService:
    def test_machine_without_a_cross_build_has_the_reason_and_the_remedy(self, bench: Bench) -> None:
        listed = bench.served.viewer.get("/api/v1/downloads/cross-builds").json()
        refused = bench.served.viewer.get("/api/v1/downloads/cross-builds/aarch64")
        unknown = bench.served.viewer.get("/api/v1/downloads/cross-builds/riscv64")

        assert listed["offers"] == []
        assert "ciphermark runners cross-build --machine aarch64" in listed["absent"]["aarch64"]
        assert refused.status_code == 404
        assert refused.json()["detail"] == listed["absent"]["aarch64"]
        assert unknown.status_code == 422

    def test_cross_build_of_other_sources_is_not_offered(self, bench: Bench) -> None:
        bench.offer(source_sha256="6" * 64)

        found = find_offer(bench.client, source_sha256(shipped("runners")), PI_3)

        assert found.offer is None
        assert "cross-built from sources 666666666666" in found.reason

    def test_offer_without_its_archive_and_a_damaged_offer_are_absent(self, bench: Bench) -> None:
        offered, cache = bench.offer(), bench.served.settings.cache_folder
        archive_path(cache, "armhf", offered).unlink()
        assert find_offer(bench.client, offered.manifest.source_sha256, PI_3).offer is None

        (cross_builds_folder(cache, "armhf") / OFFER_FILE).write_text("{")
        assert find_offer(bench.client, offered.manifest.source_sha256, PI_3).offer is None


class TestInstallation:
    def test_offer_is_downloaded_once_and_its_programs_are_those_of_the_archive(self, bench: Bench) -> None:
        offered = bench.offer()
        found = find_offer(bench.client, offered.manifest.source_sha256, PI_3)
        assert found.offer == offered

        first = bench.install(offered)
        archive_path(bench.served.settings.cache_folder, "armhf", offered).unlink()
        again = bench.install(offered)

        assert first.build_key == again.build_key == offered.build_key
        assert first.report.cross_built == offered.manifest.origin
        assert not first.report.prebuilt
        assert first.report.toolchain.words == "gcc -O2 static"
        assert {path.name for path in bench.cache.rglob("*.gz")} == set()
        assert (first.folder / "ciphermark-own").read_bytes() == bench.files["ciphermark-own"]

    def test_missing_cpu_feature_is_named_before_anything_is_downloaded(self, bench: Bench) -> None:
        with pytest.raises(UnsupportedCPU, match="need the CPU features armv7, vfpv3, which this CPU lacks"):
            bench.install(bench.offer(), PI_1)
        assert not bench.cache.exists()

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (lambda data: data[:-1] + b"?", "archive of the cross-built runners is damaged"),
            (lambda data: data + bytes(100), "larger than announced"),
        ],
    )
    def test_changed_and_longer_archives_leave_nothing(self, bench: Bench, data: Any, message: str) -> None:
        offered = bench.offer()
        path = archive_path(bench.served.settings.cache_folder, "armhf", offered)
        changed = data(path.read_bytes())

        with pytest.raises(BuildFailed, match=message):
            install_from(bench, offered, path, changed)
        assert list_builds(bench.cache) == []
        assert list((bench.cache / "builds").glob(".making-*")) == []

    def test_program_that_this_cpu_cannot_execute_is_rejected(self, bench: Bench) -> None:
        bench.files["ciphermark-own"] = b"\x7fELF of another machine"

        with pytest.raises(BuildFailed, match="ciphermark-own list"):
            bench.install(bench.offer())
        assert list_builds(bench.cache) == []


def install_from(bench: Bench, offered: CrossBuildOffer, path: Path, content: bytes) -> InstalledBuild:
    """Install an offer while another content is served under its path."""
    path.write_bytes(content)
    other = offered.model_copy(update={"size_bytes": len(content)})
    cross_builds.store(bench.served.settings.cache_folder, content, other)
    return bench.install(offered)


@pytest.mark.usefixtures("without_compilers")
class TestPreparation:
    def test_device_without_a_compiler_uses_the_cross_build_and_reports_its_origin(self, bench: Bench) -> None:
        offered = bench.offer()

        default = bench.preparation().prepare_build()

        assert default.proved.build.build_key == offered.build_key
        assert [proof.passed for proof in default.proved.proofs.proofs] == [True]
        (summary,) = bench.served.viewer.get("/api/v1/builds", params={"agent_id": bench.agent_id}).json()["items"]
        (of_agent,) = bench.served.viewer.get(f"/api/v1/agents/{bench.agent_id}").json()["builds"]
        for stored in (summary, of_agent):
            assert stored["is_default"]
            assert stored["cross_built"]["host_name"] == "box"
            assert stored["cross_built"]["packages"][0]["name"] == "libcrypto++-dev"
            assert stored["toolchain_words"] == "gcc -O2 static cross-built"
        page = bench.served.viewer.get(f"/builds/{summary['id']}").text
        assert "gcc -O2 static cross-built" in page
        assert "on box (Debian GNU/Linux 12 (bookworm)) at 2026-11-22 08:30:00" in page
        assert "libcrypto++-dev 8.7.0 (armhf)" in page
        assert "armv7 vfpv3" in page

    @pytest.mark.long
    def test_cross_build_is_never_the_build_of_a_plans_toolchain(self, bench: Bench, compiled: InstalledBuild) -> None:
        """A toolchain of a plan is a compiler of the device, although the cross-build has an equal toolchain."""
        bench.offer()
        bench.preparation().prepare_build()
        own = compiled.report.model_copy(update={"source_sha256": source_sha256(shipped("runners"))})

        with bench.served.database.read() as session:
            default, usable = get_usable_builds(session, bench.agent_id)
        assert default is not None
        assert usable == {}
        bench.client.report_build(own)
        bench.preparation().prepare_build()

        with bench.served.database.read() as session:
            default, usable = get_usable_builds(session, bench.agent_id)
        assert default is not None
        assert default.cross_built is not None
        assert {toolchain.words: build.build_key for toolchain, build in usable.items()} == {
            "gcc -O2 static": compiled.build_key
        }

    def test_device_without_a_compiler_and_without_an_offer_has_both_remedies(self, bench: Bench) -> None:
        with pytest.raises(NoRunners) as caught:
            bench.preparation().prepare_build()

        assert "ciphermark runners cross-build --machine armhf" in str(caught.value)
        assert "apt-get install g++" in str(caught.value)

    def test_older_cpu_without_a_compiler_is_refused_with_the_feature(self, bench: Bench) -> None:
        bench.offer(required_features=["neon"])

        with pytest.raises(UnsupportedCPU, match="need the CPU feature neon"):
            bench.preparation(PI_1).prepare_build()

    @pytest.mark.long
    def test_other_machines_have_a_reason(self, bench: Bench) -> None:
        with pytest.raises(NoRunners, match="x86-64 and for 32-bit and 64-bit Arm only"):
            bench.preparation(None).prepare_build()

    @pytest.mark.long
    def test_setting_leaves_the_cross_build_out(self, bench: Bench) -> None:
        bench.offer()

        with pytest.raises(BuildFailed, match="compiler gcc is not installed"):
            bench.preparation(cross_built_runners=False).prepare_build()
