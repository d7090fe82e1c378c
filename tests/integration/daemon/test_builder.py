"""Orders for builds, from the service's request to its answer: real compilers, a real service, stand-in sources."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from orchestrator.daemon.builds.builder import StartBuild, Workshop, WorkshopThread
from orchestrator.daemon.builds.compilation.build import build, install_prebuilt
from orchestrator.daemon.builds.compilation.steps import Interrupted, Watch
from orchestrator.daemon.builds.installed import list_builds, load_build
from orchestrator.daemon.builds.orders import BuildOrders
from orchestrator.daemon.builds.proofs import prove
from orchestrator.daemon.builds.proved import ProvedBuild, ProvedBuilds
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.status import Status
from orchestrator.database.models import AwaitedBuild, Build, BuildRequest, Footprint
from orchestrator.errors import Unreachable
from orchestrator.security import tokens
from orchestrator.wire.agents import EnrollmentRequest
from orchestrator.wire.builds import BuildOrder, Toolchain
from orchestrator.wire.heartbeats import Heartbeat
from orchestrator.wire.jobs import ProcessCase
from orchestrator.wire.records import Failure
from tests.support.daemon_bench import NOBODY, build_workshop
from tests.support.live_service import Served, serve
from tests.support.paths import FIXTURES
from tests.support.queued_jobs import fill_run
from tests.support.waiting import acting_once, until

SOURCE = FIXTURES / "small-runners"
QUIET = Watch(lambda _: None)
SESSION = "1" * 32


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("service")) as served:
        yield served


@dataclass(frozen=True)
class Shop:
    """An agent with a workshop, and its service."""

    served: Served
    agent_id: str
    client: ServiceClient
    workshop: Workshop
    status: Status
    orders: BuildOrders
    cache: Path

    def want(self, **toolchain: Any) -> int:
        """Ask for a toolchain as a run does; return the request's id."""
        with self.served.database.write() as session:
            request = BuildRequest(agent_id=self.agent_id, toolchain_key=repr(toolchain), toolchain=toolchain)
            session.add(request)
            session.flush()
            return request.id

    def hear(self, *request_ids: int, keep: tuple[str, ...] = ()) -> None:
        """Hear of these requests, as in the answer to a heartbeat."""
        with self.served.database.read() as session:
            rows = [session.get_one(BuildRequest, request_id) for request_id in request_ids]
            orders = [BuildOrder(request_id=row.id, toolchain=row.toolchain) for row in rows]
        self.orders.hear(orders, keep, time.monotonic())

    def settle(self, **toolchain: Any) -> BuildRequest:
        """Order one toolchain, work on it, and return what the service knows of the request then."""
        request_id = self.want(**toolchain)
        self.hear(request_id)
        self.workshop.work_on_next()
        return self.request(request_id)

    def request(self, request_id: int) -> BuildRequest:
        """Return a request as the service knows it."""
        with self.served.database.read() as session:
            return session.get_one(BuildRequest, request_id)

    def build_of(self, request: BuildRequest) -> Build:
        """Return the build, or the failure, that settled a request."""
        with self.served.database.read() as session:
            return session.get_one(Build, request.build_id)


NewShop = Callable[..., Shop]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that the shops of this module share, so that the start build is made once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def new_shop(served: Served, cache: Path, tmp_path: Path) -> Iterator[NewShop]:
    """Make agents whose daemon has just made its first build, and reported it as the default."""
    clients: list[ServiceClient] = []

    def make(cache: Path = cache, start: StartBuild | None = None, **options: Any) -> Shop:
        with served.database.write() as session:
            _, join = tokens.create(session, "join", "test")
        joining = ServiceClient(ServiceAddress(served.url, join, 10))
        answer = joining.enroll(EnrollmentRequest(name=f"agent-{len(clients)}"))
        joining.close()
        client = ServiceClient(ServiceAddress(served.url, answer.agent_token, 10))
        clients.append(client)
        start = start or start_build(SOURCE, cache)
        client.report_build(start.proved.build.report.model_copy(update={"is_default": True}))
        status, orders = Status(), BuildOrders()
        workshop = build_workshop(tmp_path, client, status, start, orders=orders, **options)
        return Shop(served, answer.agent_id, client, workshop, status, orders, cache)

    yield make
    for client in clients:
        client.close()


def start_build(source: Path, cache: Path) -> StartBuild:
    made = build(source, Toolchain(), cache, QUIET)
    return StartBuild(ProvedBuild(made, prove(made, lambda _: None)), source)


class TestOrders:
    def test_a_toolchain_is_built_proved_and_reported_with_everything_that_made_it(self, new_shop: NewShop) -> None:
        shop = new_shop()

        request = shop.settle(compiler="clang", optimization="O3")

        assert request.state == "ready"
        made = shop.build_of(request)
        assert made.toolchain["compiler"] == "clang"
        assert "clang version" in made.compiler_version
        assert not made.is_default
        assert "-O3" in made.compile_commands["ciphers"]
        assert "-c <file>" in made.compile_commands["ciphers"]
        assert " -o ciphermark-own" in made.compile_commands["own"]
        assert str(shop.cache) not in str(made.compile_commands)
        assert made.missing_providers == {"botan": "this stand-in has none"}
        with shop.served.database.read() as session:
            (footprint,) = session.query(Footprint).filter_by(build_id=made.id)
        assert (footprint.code_bytes, footprint.encrypt_stack_bytes, footprint.reason) == (512, 208, "")

    def test_a_case_that_names_the_new_build_is_admitted_while_the_daemon_goes_on(self, new_shop: NewShop) -> None:
        shop = new_shop()
        proved = ProvedBuilds(shop.cache, shop.workshop.start_build)

        made = shop.build_of(shop.settle(optimization="O1"))

        case = ProcessCase(
            protocol="process", case_id=1, build_key=made.build_key, provider="own", algorithm="chacha20-256",
            variant="ref", operation="encrypt-decrypt", chunk_sha256="ab" * 32, chunk_bytes=1,
        )  # fmt: skip
        admitted = proved.admit(case)
        assert not isinstance(admitted, Failure)
        assert admitted.path.parent.name == made.build_key

    def test_the_start_builds_own_toolchain_stays_the_default(self, new_shop: NewShop) -> None:
        shop = new_shop()

        made = shop.build_of(shop.settle(compiler="gcc", optimization="O2"))

        assert made.build_key == shop.workshop.start_build.build.build_key
        assert made.is_default

    def test_known_answers_that_fail_are_reported_with_the_build(self, new_shop: NewShop) -> None:
        shop = new_shop()

        made = shop.build_of(shop.settle(optimization="Ofast"))

        with shop.served.client("viewer") as client:
            (proof,) = client.get(f"/api/v1/builds/{made.id}/proofs").json()
            footprints = client.get(f"/api/v1/builds/{made.id}/footprints").json()
        assert not proof["passed"]
        assert "-Ofast broke it" in proof["detail"]
        assert footprints == []

    def test_sources_without_a_footprint_target_give_nulls_and_the_reason(self, new_shop: NewShop) -> None:
        shop = new_shop()

        made = shop.build_of(shop.settle(optimization="O0"))

        with shop.served.database.read() as session:
            (footprint,) = session.query(Footprint).filter_by(build_id=made.id)
        assert footprint.code_bytes is None
        assert footprint.encrypt_stack_bytes == 208
        assert "unknown target 'footprint'" in footprint.reason

    def test_the_same_order_costs_nothing_the_second_time(self, new_shop: NewShop) -> None:
        shop = new_shop()
        first = shop.build_of(shop.settle(optimization="O1"))
        began, wall_ns = time.monotonic(), first.build_wall_ns

        again = shop.want(optimization="O1", link="dynamic")
        shop.hear(again)
        shop.workshop.work_on_next()

        assert shop.build_of(shop.request(again)).build_wall_ns == wall_ns
        assert time.monotonic() - began < 10


class TestFailures:
    def test_a_missing_compiler_is_told_with_its_package(self, new_shop: NewShop) -> None:
        shop = new_shop()

        request = shop.settle(compiler="gcc", version="4.1")

        assert request.state == "failed"
        failure = shop.build_of(request).failure or ""
        assert "gcc 4.1 is not on this machine; found: gcc" in failure
        assert "apt-get install g++-4" in failure

    def test_the_compilers_own_words_are_told(self, new_shop: NewShop) -> None:
        shop = new_shop()

        failure = shop.build_of(shop.settle(march="no-such-cpu")).failure or ""

        assert "no-such-cpu" in failure
        assert "cmake --build ended with 1" in failure
        assert len(failure) <= 8000

    def test_a_hostile_order_executes_nothing_and_is_answered(self, new_shop: NewShop, tmp_path: Path) -> None:
        """The service refuses such plans; a daemon that trusted it would be as safe as its service."""
        shop = new_shop()
        before = list_builds(shop.cache)

        hostile: list[dict[str, object]] = [
            {"optimization": "O3 -fplugin=x"}, {"march": "@file"}, {"flags": f"; touch {tmp_path}/x"},
        ]  # fmt: skip
        for number, toolchain in enumerate(hostile):
            request_id = shop.want(mtune=f"request{number}")
            shop.orders.hear([BuildOrder(request_id=request_id, toolchain=toolchain)], [], time.monotonic())
            shop.workshop.work_on_next()
            request = shop.request(request_id)
            assert request.state == "failed"
            assert "The toolchain is refused: " in (shop.build_of(request).failure or "")

        assert list_builds(shop.cache) == before
        assert not (tmp_path / "x").exists()

    def test_an_agent_with_ready_made_runners_says_so(self, new_shop: NewShop, tmp_path: Path, cache: Path) -> None:
        programs = start_build(SOURCE, cache).proved.build.folder
        ready = install_prebuilt(programs, tmp_path / "ready")
        shop = new_shop(tmp_path / "ready", StartBuild(ProvedBuild(ready, prove(ready, lambda _: None)), None))

        failure = shop.build_of(shop.settle(compiler="clang")).failure or ""

        assert "ready-made runners (CIPHERMARK_RUNNERS_FOLDER)" in failure

    def test_sources_that_changed_since_the_start_are_not_mixed_with_the_old(
        self, new_shop: NewShop, tmp_path: Path
    ) -> None:
        source = tmp_path / "source"
        (source / "src").mkdir(parents=True)
        for path in SOURCE.rglob("*"):
            if path.is_file():
                (source / path.relative_to(SOURCE)).write_bytes(path.read_bytes())
        shop = new_shop(tmp_path / "cache", start_build(source, tmp_path / "cache"))
        with (source / "src" / "cipher.cpp").open("a") as file:
            file.write("// Pulled while the daemon ran.\n")

        failure = shop.build_of(shop.settle(optimization="O1")).failure or ""

        assert "Start the daemon again" in failure


class TestTurns:
    def test_nothing_is_built_while_a_job_is_measured(self, new_shop: NewShop) -> None:
        shop = new_shop()
        shop.hear(request_id := shop.want(optimization="O1"))
        thread = WorkshopThread(shop.workshop, shop.status)

        with shop.workshop.turns.take():
            thread.start()
            until(lambda: len(shop.workshop.turns._queue) == 2, "the workshop behind the job in the queue for a turn")
            assert shop.request(request_id).state == "open"
        until(lambda: shop.request(request_id).state == "ready", "the build after the job")
        shop.status.shut_down()
        thread.join(10)
        assert not thread.is_alive()

    def test_the_daemon_says_what_it_builds(self, new_shop: NewShop) -> None:
        shop = new_shop()
        shop.hear(shop.want(optimization="Og"))
        thread = WorkshopThread(shop.workshop, shop.status)
        thread.start()

        until(
            lambda: shop.status.snapshot().activity.startswith("building runners with gcc -Og: "),
            "the build's first line",
        )
        assert shop.status.snapshot().state == "preparing"
        shop.status.shut_down()
        thread.join(10)

    def test_a_stopped_daemon_leaves_an_endless_build_at_once(self, new_shop: NewShop) -> None:
        shop = new_shop()
        request_id = shop.want(optimization="Og")
        shop.hear(request_id)
        with (
            acting_once(is_building_endlessly, "the endless step of the build", shop.status.shut_down),
            pytest.raises(Interrupted),
        ):
            shop.workshop.work_on_next()

        # Ninja gives each compiler a process group of its own: ending the build's group would leave them behind.
        assert [found.cmdline() for found in psutil.Process().children(recursive=True)] == []
        orphans = [found for found in psutil.process_iter(["cwd"]) if str(shop.cache) in (found.info["cwd"] or "")]
        assert orphans == []
        assert shop.request(request_id).state == "open"
        assert list((shop.cache / "builds").glob(".making-*")) == []


class TestServiceAway:
    def test_the_order_waits_and_its_build_is_not_made_again(self, new_shop: NewShop, tmp_path: Path) -> None:
        shop = new_shop()
        request_id = shop.want(optimization="Os")
        shop.hear(request_id)
        away = ServiceClient(ServiceAddress(NOBODY, "token", 1))
        start = start_build(SOURCE, shop.cache)
        cut_off = build_workshop(tmp_path, away, shop.status, start, orders=shop.orders)

        with pytest.raises(Unreachable):
            cut_off.work_on_next()
        away.close()
        (made,) = [one for one in list_builds(shop.cache) if one.report.toolchain.optimization == "Os"]
        shop.workshop.work_on_next()

        assert shop.build_of(shop.request(request_id)).build_key == made.build_key


class TestCache:
    def test_the_limit_spares_the_start_build_and_what_runs_name(self, new_shop: NewShop, tmp_path: Path) -> None:
        shop = new_shop(tmp_path / "cache", cache_bytes=1)
        kept = shop.build_of(shop.settle(optimization="O1")).build_key
        request_ids = [shop.want(optimization="O3"), shop.want(optimization="Os")]
        shop.hear(*request_ids, keep=(kept,))
        for _ in request_ids:
            shop.workshop.work_on_next()

        left = {one.report.toolchain.optimization for one in list_builds(shop.cache)}
        assert left == {"O2", "O1", "Os"}

    def test_a_dropped_build_that_a_job_names_is_made_again(self, new_shop: NewShop, tmp_path: Path) -> None:
        """A new run may name a build that the service knows of and the cache has just lost."""
        shop = new_shop(tmp_path / "cache", cache_bytes=1)
        lost = shop.build_of(shop.settle(optimization="O1")).build_key
        shop.settle(optimization="O3")
        assert load_build(shop.cache, lost) is None

        shop.workshop.bring_back({lost, "ee" * 32}, lambda: False)

        back = load_build(shop.cache, lost)
        assert back is not None
        assert back.report.toolchain.optimization == "O1"

    def test_looking_at_builds_is_no_use_of_them(self, new_shop: NewShop, tmp_path: Path) -> None:
        """A list of the cache once made all of it the most recently used."""
        shop = new_shop(tmp_path / "cache")
        made = shop.build_of(shop.settle(optimization="O1")).build_key
        report = tmp_path / "cache" / "builds" / made / "build.json"
        os.utime(report, (1, 1))

        list_builds(shop.cache)
        assert report.stat().st_mtime == 1
        shop.workshop.bring_back({made}, lambda: False)
        assert report.stat().st_mtime > 1


class TestHeartbeats:
    def test_the_answer_names_the_order_until_it_is_settled(self, new_shop: NewShop) -> None:
        shop = new_shop()
        request_id = shop.want(optimization="O1")
        run_waits_for(shop, request_id)
        heartbeat = Heartbeat(session_id=SESSION, state="ready")

        (order,) = shop.client.heartbeat(heartbeat).builds
        shop.orders.hear([order], [], time.monotonic())
        shop.workshop.work_on_next()

        assert order.request_id == request_id
        assert shop.client.heartbeat(heartbeat).builds == []


def is_building_endlessly() -> bool:
    """Tell whether the target of the stand-in sources that never ends is being made."""
    found = psutil.Process().children(recursive=True)
    return any(process.name() == "sleep" for process in found if process.is_running())


def run_waits_for(shop: Shop, request_id: int) -> None:
    """Let a planned run wait for the request."""
    fill_run(shop.served.database, "waitingwaiti", jobs=0, agent_id=shop.agent_id)
    with shop.served.database.write() as session:
        session.add(AwaitedBuild(run_id="waitingwaiti", request_id=request_id))
