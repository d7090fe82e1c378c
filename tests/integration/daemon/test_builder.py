"""Build orders from request to outcome, with real compilers, a real service, and small substitute sources."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from orchestrator.compilation.footprints import find_footprints
from orchestrator.compilation.installed import COMPILED_LATER, list_builds, load_build
from orchestrator.compilation.native.build import build, install_prebuilt
from orchestrator.compilation.native.code_sizes import load_code_sizes
from orchestrator.compilation.native.libraries import TABLE
from orchestrator.compilation.native.steps import BuildObserver, Interrupted
from orchestrator.compilation.proofs import prove
from orchestrator.compilation.proved import ProvedBuild, ProvedBuilds
from orchestrator.daemon.builds.builder import Builder, DefaultBuild
from orchestrator.daemon.builds.orders import BuildOrders
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.status import Status
from orchestrator.daemon.session.worker_thread import WorkerThread
from orchestrator.database.models import Build, BuildRequest, Footprint
from orchestrator.database.rows import stored
from orchestrator.shared.errors import BuildFailed, Unreachable
from orchestrator.wire.builds import BuildOrder, Toolchain
from orchestrator.wire.jobs import ProcessCase
from orchestrator.wire.records import Failure
from tests.support.agent_reports import enroll
from tests.support.daemon_bench import NO_SERVICE, make_builder
from tests.support.live_service import Served
from tests.support.paths import FIXTURES
from tests.support.waiting import GENEROUS_SECONDS, acting_once, until

SOURCE = FIXTURES / "small-runners"
QUIET = BuildObserver(lambda _: None)


def _with_libraries(folder: Path, *providers: str) -> Path:
    """Return a copy of the sources that has runners of these libraries, too."""
    shutil.copytree(SOURCE, folder)
    runner, rows = (folder / "src/runner.cpp").read_text(), []
    for provider in providers:
        (folder / f"src/{provider}.cpp").write_text(runner.replace('"provider":"own"', f'"provider":"{provider}"'))
        with (folder / "CMakeLists.txt").open("a") as file:
            file.write(f"add_executable(ciphermark-{provider} src/{provider}.cpp src/cipher.cpp)\n")
        rows.append(f"{provider} header.h {provider} package - MIT libraries\n")
    (folder / TABLE).parent.mkdir()
    (folder / TABLE).write_text("".join(rows))
    return folder


@dataclass(frozen=True)
class BuilderBench:
    """An agent with a builder, connected to a service."""

    served: Served
    agent_id: str
    client: ServiceClient
    builder: Builder
    status: Status
    orders: BuildOrders
    cache: Path

    def request_build(self, **toolchain: Any) -> int:
        """Request a toolchain as a run does; return the id of the request."""
        with self.served.database.write() as session:
            request = BuildRequest(agent_id=self.agent_id, toolchain_key=repr(toolchain), toolchain=toolchain)
            return stored(session, request).id

    def receive(self, *request_ids: int, keep: tuple[str, ...] = ()) -> None:
        """Pass these requests to the builder, as a heartbeat response does."""
        with self.served.database.read() as session:
            rows = [session.get_one(BuildRequest, request_id) for request_id in request_ids]
            orders = [BuildOrder(request_id=row.id, toolchain=row.toolchain) for row in rows]
        self.orders.update(orders, keep, time.monotonic())

    def build_toolchain(self, **toolchain: Any) -> BuildRequest:
        """Order one toolchain, build it, and return the request as the service stores it."""
        request_id = self.request_build(**toolchain)
        self.receive(request_id)
        self.builder.work_on_next()
        return self.request(request_id)

    def request(self, request_id: int) -> BuildRequest:
        """Return a request as the service stores it."""
        with self.served.database.read() as session:
            return session.get_one(BuildRequest, request_id)

    def build_of(self, request: BuildRequest) -> Build:
        """Return the build or failure that finished a request."""
        with self.served.database.read() as session:
            return session.get_one(Build, request.build_id)


NewBench = Callable[..., BuilderBench]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that the tests of this module share, so that the default build is made once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def new_bench(served: Served, cache: Path, tmp_path: Path) -> Iterator[NewBench]:
    """Create agents whose daemon has made and reported its default build."""
    clients: list[ServiceClient] = []

    def make(cache: Path = cache, start: DefaultBuild | None = None, **options: Any) -> BuilderBench:
        _, identity = enroll(served)
        client = ServiceClient(ServiceAddress(served.url, identity["agent_token"], 60))
        clients.append(client)
        start = start or default_build(SOURCE, cache)
        client.report_build(start.proved.build.report.model_copy(update={"is_default": True}))
        status, orders = Status(), BuildOrders()
        builder = make_builder(tmp_path, client, status, start, orders=orders, **options)
        return BuilderBench(served, identity["agent_id"], client, builder, status, orders, cache)

    yield make
    for client in clients:
        client.close()


def default_build(source: Path, cache: Path) -> DefaultBuild:
    made = build(source, Toolchain(), cache, QUIET)
    return DefaultBuild(ProvedBuild(made, prove(made, lambda _: None)), source)


class TestOrders:
    def test_ordered_toolchain_is_built_proved_and_reported(self, new_bench: NewBench) -> None:
        bench = new_bench()

        request = bench.build_toolchain(compiler="clang", optimization="O3")

        assert request.state == "ready"
        made = bench.build_of(request)
        assert made.toolchain["compiler"] == "clang"
        assert "clang version" in made.compiler_version
        assert not made.is_default
        assert "-O3" in made.compile_commands["ciphers"]
        assert "-c <file>" in made.compile_commands["ciphers"]
        assert " -o ciphermark-own" in made.compile_commands["own"]
        assert str(bench.cache) not in str(made.compile_commands)
        assert made.missing_providers == {"botan": "not part of these sources"}
        with bench.served.database.read() as session:
            (footprint,) = session.query(Footprint).filter_by(build_id=made.id)
        stack = {"key-setup": 16, "encrypt": 208, "decrypt": 224}
        assert (footprint.code_bytes, footprint.stack_bytes, footprint.reason) == (512, stack, "")

    @pytest.mark.long
    def test_case_of_a_new_build_is_admitted_without_a_restart(self, new_bench: NewBench) -> None:
        bench = new_bench()
        proved = ProvedBuilds(bench.cache, bench.builder.default.proved)

        made = bench.build_of(bench.build_toolchain(optimization="O1"))

        case = ProcessCase(
            protocol="process", case_id=1, build_key=made.build_key, provider="own", algorithm="chacha20-256",
            variant="ref", operation="key-setup+encrypt+decrypt", chunk_sha256="ab" * 32, chunk_bytes=1,
        )  # fmt: skip
        admitted = proved.admit(case)
        assert not isinstance(admitted, Failure)
        assert admitted.path.parent.name == made.build_key

    @pytest.mark.long
    def test_toolchain_of_the_default_build_stays_the_default(self, new_bench: NewBench) -> None:
        bench = new_bench()

        made = bench.build_of(bench.build_toolchain(compiler="gcc", optimization="O2"))

        assert made.build_key == bench.builder.default.proved.build.build_key
        assert made.is_default

    def test_failed_known_answers_are_reported(self, new_bench: NewBench) -> None:
        bench = new_bench()

        made = bench.build_of(bench.build_toolchain(optimization="Ofast"))

        (proof,) = bench.served.viewer.get(f"/api/v1/builds/{made.id}/proofs").json()
        footprints = bench.served.viewer.get(f"/api/v1/builds/{made.id}/footprints").json()
        assert not proof["passed"]
        assert "-Ofast broke it" in proof["detail"]
        assert footprints == []

    def test_sources_without_a_footprint_target_give_none_with_the_reason(self, new_bench: NewBench) -> None:
        bench = new_bench()

        made = bench.build_of(bench.build_toolchain(optimization="O0"))

        with bench.served.database.read() as session:
            (footprint,) = session.query(Footprint).filter_by(build_id=made.id)
        assert footprint.code_bytes is None
        assert footprint.stack_bytes["encrypt"] == 208
        assert "unknown target 'footprint'" in footprint.reason


class TestFailures:
    def test_failure_contains_the_compilers_output(self, new_bench: NewBench) -> None:
        bench = new_bench()

        failure = bench.build_of(bench.build_toolchain(march="no-such-cpu")).failure or ""

        assert "no-such-cpu" in failure
        assert "cmake --build exited with 1" in failure
        assert len(failure) <= 8000

    def test_hostile_order_executes_nothing_and_fails(self, new_bench: NewBench, tmp_path: Path) -> None:
        """The service rejects such plans; the daemon must not depend on that."""
        bench = new_bench()
        before = list_builds(bench.cache)

        hostile: list[dict[str, object]] = [
            {"optimization": "O3 -fplugin=x"}, {"march": "@file"}, {"flags": f"; touch {tmp_path}/x"},
        ]  # fmt: skip
        for number, toolchain in enumerate(hostile):
            request_id = bench.request_build(mtune=f"request{number}")
            bench.orders.update([BuildOrder(request_id=request_id, toolchain=toolchain)], [], time.monotonic())
            bench.builder.work_on_next()
            request = bench.request(request_id)
            assert request.state == "failed"
            assert "The toolchain is invalid: " in (bench.build_of(request).failure or "")

        assert list_builds(bench.cache) == before
        assert not (tmp_path / "x").exists()

    def test_agent_with_prebuilt_runners_rejects_orders(self, new_bench: NewBench, tmp_path: Path, cache: Path) -> None:
        programs = default_build(SOURCE, cache).proved.build.folder
        ready = install_prebuilt(programs, tmp_path / "ready")
        bench = new_bench(tmp_path / "ready", DefaultBuild(ProvedBuild(ready, prove(ready, lambda _: None)), None))

        failure = bench.build_of(bench.build_toolchain(compiler="clang")).failure or ""

        assert "prebuilt runners (CIPHERMARK_RUNNERS_FOLDER)" in failure

    def test_sources_changed_since_the_start_are_rejected(self, new_bench: NewBench, tmp_path: Path) -> None:
        source = shutil.copytree(SOURCE, tmp_path / "source")
        bench = new_bench(tmp_path / "cache", default_build(source, tmp_path / "cache"))
        with (source / "src" / "cipher.cpp").open("a") as file:
            file.write("// Pulled while the daemon ran.\n")

        failure = bench.build_of(bench.build_toolchain(optimization="O1")).failure or ""

        assert "Restart the daemon" in failure


class TestMachineLock:
    def test_build_waits_for_the_end_of_a_job(self, new_bench: NewBench) -> None:
        bench = new_bench()
        bench.receive(request_id := bench.request_build(optimization="O1"))
        thread = WorkerThread("builder", bench.builder.work, bench.status)

        with bench.builder.machine_lock.held():
            thread.start()
            until(lambda: bench.builder.machine_lock._spare is not None, "the builder behind the job")
            assert bench.request(request_id).state == "open"
        until(lambda: bench.request(request_id).state == "ready", "the build after the job")
        bench.status.shut_down()
        thread.join(GENEROUS_SECONDS)
        assert not thread.is_alive()

    def test_build_pauses_while_a_job_uses_the_machine(self, new_bench: NewBench) -> None:
        """Regression: a ready job waited for the whole build, and the next one for the whole next build."""
        bench = new_bench()
        bench.receive(request_id := bench.request_build(optimization="Og"))
        thread = WorkerThread("builder", bench.builder.work, bench.status)
        thread.start()
        until(is_building_endlessly, "the endless step of the build")
        (compiler,) = endless_steps()
        assert bench.status.snapshot().state == "preparing"
        assert bench.status.snapshot().activity.startswith("building runners with gcc -Og: ")

        for _ in range(2):
            with bench.builder.machine_lock.held():
                until(lambda: compiler.status() == psutil.STATUS_STOPPED, "the stop of the compiler")
                assert "building runners with gcc -Og: paused" in bench.status.snapshot().activity
            until(lambda: compiler.status() == psutil.STATUS_SLEEPING, "the build after the job")
        assert bench.request(request_id).state == "open"
        bench.status.shut_down()
        thread.join(GENEROUS_SECONDS)
        assert not is_building_endlessly()

    @pytest.mark.long
    def test_build_that_a_job_needs_ends_a_paused_build(self, new_bench: NewBench, tmp_path: Path) -> None:
        """A paused build has the lock of the cache, so that waiting for it would never end."""
        bench = new_bench(tmp_path / "cache", cache_bytes=1)
        lost = bench.build_of(bench.build_toolchain(optimization="O1")).build_key
        bench.build_toolchain(optimization="O3")
        bench.receive(bench.request_build(optimization="Og"))
        thread = WorkerThread("builder", bench.builder.work, bench.status)
        thread.start()
        until(is_building_endlessly, "the endless step of the build")

        with bench.builder.machine_lock.held():
            bench.builder.restore_build(lost, lambda: False)
            assert load_build(bench.cache, lost) is not None
            assert not is_building_endlessly()
        until(is_building_endlessly, "the next attempt of the build")
        bench.status.shut_down()
        thread.join(GENEROUS_SECONDS)

    @pytest.mark.long
    def test_compilers_of_a_killed_daemon_are_ended_by_the_next_build(self, new_bench: NewBench) -> None:
        bench = new_bench()
        folder = bench.cache / "builds" / ".making-killed"
        folder.mkdir()
        left = psutil.Popen(["sleep", "600"], cwd=folder)
        left.suspend()

        bench.build_toolchain(optimization="O2", mtune="generic")
        assert left.wait(GENEROUS_SECONDS) != 0
        assert not folder.exists()

    @pytest.mark.long
    def test_interrupted_build_continues_where_it_ended(self, tmp_path: Path) -> None:
        steps: list[str] = []
        seen = BuildObserver(steps.append, lambda: any("Building CXX" in step for step in steps))
        with pytest.raises(Interrupted):
            build(SOURCE, Toolchain(), tmp_path, seen)
        (unfinished,) = (tmp_path / "builds").glob(".unfinished-*")
        assert (unfinished / "build" / "CMakeCache.txt").exists()

        continued: list[str] = []
        made = build(SOURCE, Toolchain(), tmp_path, BuildObserver(continued.append))
        assert "own" in made.programs
        assert not any("Detecting CXX compiler ABI" in line for line in continued)

        assert load_code_sizes(made.folder) is None
        find_footprints(made, prove(made, steps.append), BuildObserver(steps.append))
        sizes = load_code_sizes(made.folder)
        assert sizes is not None
        assert sizes.reason == ""
        assert not unfinished.exists()

    def test_runners_that_no_plan_waits_for_are_added_to_the_same_build(self, tmp_path: Path) -> None:
        source = _with_libraries(tmp_path / "source", "cryptopp", "nettle")
        cache = tmp_path / "cache"

        with pytest.raises(BuildFailed, match="no runners of 'nettel'; expected cryptopp, nettle, own"):
            build(source, Toolchain(), cache, QUIET, providers=frozenset({"own", "nettel"}))
        first = build(source, Toolchain(), cache, QUIET, providers=frozenset({"own", "cryptopp"}))
        again = build(source, Toolchain(), cache, QUIET, providers=frozenset({"own"}))
        continued: list[str] = []
        whole = build(source, Toolchain(), cache, BuildObserver(continued.append))

        assert sorted(first.programs) == sorted(again.programs) == ["cryptopp", "own"]
        assert first.report.missing_providers["nettle"] == COMPILED_LATER
        assert first.lacks(None)
        assert sorted(whole.programs) == ["cryptopp", "nettle", "own"]
        assert not whole.lacks(None)
        assert whole.build_key == first.build_key
        assert all(whole.binary_sha256(name) == first.binary_sha256(name) for name in first.programs)
        assert not any("cryptopp" in line for line in continued if "Building" in line)
        assert (whole.report.build_wall_ns or 0) > (first.report.build_wall_ns or 0)

    @pytest.mark.long
    def test_runner_of_an_interrupted_build_is_not_taken_for_a_needed_one(self, tmp_path: Path) -> None:
        source = _with_libraries(tmp_path / "source", "nettle")
        whole = build(source, Toolchain(), tmp_path, QUIET)
        shutil.rmtree(whole.folder)  # As if it had ended before its installation, with all programs made.

        part = build(source, Toolchain(), tmp_path, QUIET, providers=frozenset({"own"}))

        assert sorted(part.programs) == ["own"]
        assert part.report.missing_providers["nettle"] == COMPILED_LATER

    @pytest.mark.long
    def test_equal_sources_of_another_folder_are_compiled_again(self, tmp_path: Path) -> None:
        # CMake refuses a folder that another checkout configured, and the agent had no runners for good.
        sources = [_with_libraries(tmp_path / name / "source", "nettle") for name in ("first", "other")]
        cache = tmp_path / "cache"
        first = build(sources[0], Toolchain(), cache, QUIET, providers=frozenset({"own"}))
        shutil.rmtree(sources[0])

        whole = build(sources[1], Toolchain(), cache, QUIET)

        assert sorted(whole.programs) == ["nettle", "own"]
        assert whole.build_key == first.build_key

    @pytest.mark.long
    def test_code_sizes_are_never_those_of_later_sources(self, tmp_path: Path) -> None:
        source = tmp_path / "source"
        shutil.copytree(SOURCE, source)
        silent = BuildObserver(lambda _: None)
        made = build(source, Toolchain(), tmp_path, silent)
        with next((source / "src").rglob("*.cpp")).open("a") as file:
            file.write("// changed\n")

        find_footprints(made, prove(made, silent.progress), silent)

        sizes = load_code_sizes(made.folder)
        assert sizes is not None
        assert sizes.rows == []
        assert sizes.reason == "the sources of the runners changed before code sizes were measured"

    @pytest.mark.long
    def test_shutdown_interrupts_an_endless_build(self, new_bench: NewBench) -> None:
        bench = new_bench()
        request_id = bench.request_build(optimization="Og")
        bench.receive(request_id)
        others = set(psutil.Process().children(recursive=True))  # a system that tests of this worker share
        with (
            acting_once(is_building_endlessly, "the endless step of the build", bench.status.shut_down),
            pytest.raises(Interrupted),
        ):
            bench.builder.work_on_next()

        # Ninja gives each compiler a process group of its own: ending the build's group would leave them behind.
        assert set(psutil.Process().children(recursive=True)) <= others
        orphans = [found for found in psutil.process_iter(["cwd"]) if str(bench.cache) in (found.info["cwd"] or "")]
        assert orphans == []
        assert bench.request(request_id).state == "open"
        assert list((bench.cache / "builds").glob(".making-*")) == []


class TestServiceAway:
    def test_order_is_requeued_and_its_build_reused(self, new_bench: NewBench, tmp_path: Path) -> None:
        bench = new_bench()
        request_id = bench.request_build(optimization="Os")
        bench.receive(request_id)
        away = ServiceClient(ServiceAddress(NO_SERVICE, "token", 1))
        start = default_build(SOURCE, bench.cache)
        cut_off = make_builder(tmp_path, away, bench.status, start, orders=bench.orders)

        with pytest.raises(Unreachable):
            cut_off.work_on_next()
        away.close()
        (made,) = [one for one in list_builds(bench.cache) if one.report.toolchain.optimization == "Os"]
        bench.builder.work_on_next()

        # The stored time is that of the first: nothing was built again.
        reused = bench.build_of(bench.request(request_id))
        assert (reused.build_key, reused.build_wall_ns) == (made.build_key, made.report.build_wall_ns)


class TestCache:
    @pytest.mark.long
    def test_limit_keeps_the_default_build_and_those_of_runs(self, new_bench: NewBench, tmp_path: Path) -> None:
        bench = new_bench(tmp_path / "cache", cache_bytes=1)
        kept = bench.build_of(bench.build_toolchain(optimization="O1")).build_key
        request_ids = [bench.request_build(optimization="O3"), bench.request_build(optimization="Os")]
        bench.receive(*request_ids, keep=(kept,))
        for _ in request_ids:
            bench.builder.work_on_next()

        left = {one.report.toolchain.optimization for one in list_builds(bench.cache)}
        assert left == {"O2", "O1", "Os"}

    @pytest.mark.long
    def test_removed_build_of_a_job_is_restored(self, new_bench: NewBench, tmp_path: Path) -> None:
        """A new run may name a build that was just removed from the cache."""
        bench = new_bench(tmp_path / "cache", cache_bytes=1)
        lost = bench.build_of(bench.build_toolchain(optimization="O1")).build_key
        bench.build_toolchain(optimization="O3")
        assert load_build(bench.cache, lost) is None

        for build_key in (lost, "ee" * 32):
            bench.builder.restore_build(build_key, lambda: False)

        back = load_build(bench.cache, lost)
        assert back is not None
        assert back.report.toolchain.optimization == "O1"

    @pytest.mark.long
    def test_listing_builds_does_not_mark_them_as_used(self, new_bench: NewBench, tmp_path: Path) -> None:
        """Regression: listing the cache marked all builds as recently used."""
        bench = new_bench(tmp_path / "cache")
        made = bench.build_of(bench.build_toolchain(optimization="O1")).build_key
        report = tmp_path / "cache" / "builds" / made / "build.json"
        os.utime(report, (1, 1))

        list_builds(bench.cache)
        assert report.stat().st_mtime == 1
        bench.builder.restore_build(made, lambda: False)
        assert report.stat().st_mtime > 1


def is_building_endlessly() -> bool:
    """Return whether the endless target of the substitute sources is being built."""
    return bool(endless_steps())


def endless_steps() -> list[psutil.Process]:
    """Return the processes of the endless target."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.name() == "sleep" and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found
