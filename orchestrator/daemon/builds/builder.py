"""Makes the builds that the service orders: one at a time, between jobs, never while one is measured."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from orchestrator.daemon.builds.cache import BuildLedger, trim_cache
from orchestrator.daemon.builds.compilation.build import build
from orchestrator.daemon.builds.compilation.steps import Interrupted, Watch
from orchestrator.daemon.builds.compilation.toolchain import read_toolchain
from orchestrator.daemon.builds.footprints import find_footprints
from orchestrator.daemon.builds.installed import InstalledBuild, load_build, note_use
from orchestrator.daemon.builds.orders import BuildOrders
from orchestrator.daemon.builds.proofs import prove
from orchestrator.daemon.builds.proved import ProvedBuild
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.daemon.session.status import Status
from orchestrator.daemon.session.turns import Turns
from orchestrator.errors import BuildFailed, CiphermarkError, InvalidRequest, Unreachable
from orchestrator.runner_sources import source_sha256
from orchestrator.wire.builds import BuildOrder, BuildOutcome, FootprintReport, ProofReport, Toolchain

_WAIT_SECONDS = 1.0
_RETRY_SECONDS = 2.0
_MOST_CHARACTERS = 8000

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class StartBuild:
    """What every other build of this daemon is held against."""

    proved: ProvedBuild
    source: Path | None
    """The folder or archive it was made of; None where ready-made programs were installed."""


@dataclass(frozen=True)
class WorkshopParts:
    """What a workshop works with."""

    start: StartBuild
    client: ServiceClient
    status: Status
    turns: Turns
    orders: BuildOrders
    ledger: BuildLedger
    cache_folder: Path
    cache_bytes: int
    cores: frozenset[int]
    """All that this process may use: nothing is measured while a build is made."""


class Workshop:
    """Makes, proves and reports builds. Only the holder of the turn may call what compiles."""

    def __init__(self, parts: WorkshopParts) -> None:
        """Work with these parts."""
        self._parts = parts
        self._seen: set[str] = set()
        start = parts.start.proved.build
        parts.ledger.remember(start.build_key, start.report.toolchain)

    @property
    def turns(self) -> Turns:
        """Taken by whoever measures, and by this workshop."""
        return self._parts.turns

    @property
    def start_build(self) -> ProvedBuild:
        """The build that the daemon made at its start."""
        return self._parts.start.proved

    def report_start_build(self) -> None:
        """Report the footprints of the build that was made at the start. Raises Unreachable and Interrupted."""
        with self._turn():
            self._trim(made=None)
            self._report_footprints(self._parts.start.proved, self._watch("looking at the runners"))

    def work_on_next(self, seconds: float = _WAIT_SECONDS) -> None:
        """Settle the next order, if there is one within `seconds`.

        Raises Unreachable when the service is away and Interrupted when the daemon is stopped; the order waits then.
        """
        orders = self._parts.orders
        order = orders.begin(seconds)
        if order is None:
            return
        try:
            with self._turn():
                outcome = self._outcome_of(order)
                self._parts.client.settle_build_request(order.request_id, outcome)
        except (Unreachable, Interrupted):
            orders.put_back()
            raise
        except CiphermarkError as error:
            _log.error("the service refused a build's outcome", request_id=order.request_id, error=str(error))
            orders.refuse()
            return
        except BaseException:
            orders.put_back()
            raise
        orders.settle()
        _log.info("build order settled", request_id=order.request_id, failure=outcome.failure)

    def bring_back(self, build_keys: Iterable[str], stopped: Callable[[], bool]) -> None:
        """Make builds again that a job names and that the cache lost; the job finds out about those that fail.

        To be called by the holder of the turn.
        """
        for build_key in build_keys:
            toolchain = self._parts.ledger.toolchain_of(build_key)
            if toolchain is None or self._is_here(build_key):
                continue
            _log.warning("a build that a job names is gone from the cache, making it again", build_key=build_key)
            watch = self._watch(f"building runners with {toolchain.words}", stopped)
            try:
                made = self._make(toolchain, watch)
                prove(made, watch.tell)
            except (BuildFailed, OSError) as error:
                _log.error("build not brought back", build_key=build_key, error=str(error))
            except Interrupted:
                return

    def _outcome_of(self, order: BuildOrder) -> BuildOutcome:
        try:
            toolchain = read_toolchain(order.toolchain)
            watch = self._watch(f"building runners with {toolchain.words}")
            made = self._make(toolchain, watch)
            self._report(made, watch)
            self._trim(made=made.build_key)
        except BuildFailed as error:
            return BuildOutcome(failure=str(error)[-_MOST_CHARACTERS:])
        except InvalidRequest as error:
            return BuildOutcome(failure=f"The service refused what was built: {error}"[-_MOST_CHARACTERS:])
        except OSError as error:
            return BuildOutcome(failure=f"The build's proofs or footprints could not be kept: {error}")
        return BuildOutcome(build_key=made.build_key)

    def _make(self, toolchain: Toolchain, watch: Watch) -> InstalledBuild:
        """Make or find a build of the sources that this daemon's first build was made of."""
        with self._all_cores():
            made = build(self._source(), toolchain, self._parts.cache_folder, watch)
        self._parts.ledger.remember(made.build_key, toolchain)
        return made

    def _source(self) -> Path:
        start = self._parts.start
        if start.source is None:
            raise BuildFailed(
                "This agent has ready-made runners (CIPHERMARK_RUNNERS_FOLDER) and builds none.",
                remedy="Start its daemon without that setting, or leave toolchains out of the plan.",
            )
        expected = start.proved.build.report.source_sha256
        seen = source_sha256(start.source) if start.source.is_dir() else expected
        if seen != expected:
            raise BuildFailed(
                f"The runner sources are {(seen or '')[:12]} now; this daemon began with {(expected or '')[:12]}.",
                remedy="Start the daemon again, so that all builds that are compared are of one source.",
            )
        return start.source

    def _report(self, made: InstalledBuild, watch: Watch) -> None:
        client, start_key = self._parts.client, self._parts.start.proved.build.build_key
        client.report_build(made.report.model_copy(update={"is_default": made.build_key == start_key}))
        with self._all_cores():
            proofs = prove(made, watch.tell)
        failed = [f"{p.provider} {p.algorithm} {p.variant}" for p in proofs.proofs if not p.passed]
        if failed:
            _log.error("known answers failed", build_key=made.build_key, implementations=failed)
        if proofs.proofs:
            client.report_proofs(made.build_key, ProofReport(proofs=list(proofs.proofs)))
        self._report_footprints(ProvedBuild(made, proofs), watch)

    def _report_footprints(self, proved: ProvedBuild, watch: Watch) -> None:
        rows = find_footprints(proved.build, proved.proofs, watch)
        if rows:
            self._parts.client.report_footprints(proved.build.build_key, FootprintReport(footprints=rows))

    def _trim(self, made: str | None) -> None:
        parts = self._parts
        keep = {parts.start.proved.build.build_key, *parts.orders.kept, *([made] if made else [])}
        trim_cache(parts.cache_folder, parts.cache_bytes, keep)

    def _is_here(self, build_key: str) -> bool:
        """Tell whether a build is in the cache, and that it is used; its programs are hashed once."""
        if build_key in self._seen and note_use(self._parts.cache_folder, build_key):
            return True
        here = load_build(self._parts.cache_folder, build_key) is not None
        if here:
            self._seen.add(build_key)
        return here

    def _watch(self, doing: str, stopped: Callable[[], bool] = lambda: False) -> Watch:
        status = self._parts.status
        status.tell("preparing", doing)
        return Watch(
            progress=lambda line: status.tell("preparing", f"{doing}: {line}"),
            stopped=lambda: stopped() or status.wait_for_shutdown(0),
        )

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with self._parts.turns.take():
            try:
                yield
            finally:
                self._parts.status.tell("ready")

    @contextmanager
    def _all_cores(self) -> Iterator[None]:
        """Let this thread and its children use the measured core, too."""
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self._parts.cores)
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)


class WorkshopThread(threading.Thread):
    """Works on orders until the daemon ends."""

    def __init__(self, workshop: Workshop, status: Status) -> None:
        """Prepare; start() begins."""
        super().__init__(name="workshop", daemon=True)
        self._workshop = workshop
        self._status = status
        self._start_reported = False

    def run(self) -> None:
        """Work, and wait for the service where it is away."""
        while not self._status.wait_for_shutdown(0):
            try:
                self._once()
            except Interrupted:
                return
            except Unreachable as error:
                _log.warning("builds wait for the service", error=str(error))
                self._status.wait_for_shutdown(_RETRY_SECONDS)
            except Exception:  # The outermost loop of this thread: runs would wait for their builds for ever.
                _log.exception("workshop failed")
                self._status.wait_for_shutdown(_RETRY_SECONDS)

    def _once(self) -> None:
        if not self._start_reported:
            self._report_start_build()
        self._workshop.work_on_next()

    def _report_start_build(self) -> None:
        try:
            self._workshop.report_start_build()
        except Unreachable:
            raise
        except CiphermarkError as error:
            if isinstance(error, Interrupted):
                raise
            _log.error("footprints refused", error=str(error))
        self._start_reported = True
