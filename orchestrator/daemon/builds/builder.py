"""Makes the builds that the service orders: one at a time, while the machine has nothing else to do."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog

from orchestrator.compilation.cache import BuildLedger, trim_cache
from orchestrator.compilation.constant_time.checks import CheckQueue
from orchestrator.compilation.constant_time.execution import find_valgrind
from orchestrator.compilation.footprints import find_footprints, target_footprints
from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.languages.making import build_language
from orchestrator.compilation.libraries.versions import chosen_library
from orchestrator.compilation.native.build import build, source_folder
from orchestrator.compilation.native.steps import BuildObserver, Interrupted, step_summary
from orchestrator.compilation.native.toolchain import read_toolchain
from orchestrator.compilation.proofs import prove
from orchestrator.compilation.proved import ProvedBuild
from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.daemon.builds.challenges import proof_report_of, report_proofs
from orchestrator.daemon.builds.orders import REJECTED_REST_SECONDS, BuildOrders
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.daemon.session.machine_lock import MachineLock, Preempted, SpareTime
from orchestrator.daemon.session.status import State, Status
from orchestrator.shared.errors import BuildFailed, CiphermarkError, InvalidRequest, NoRoom, Unreachable
from orchestrator.shared.resources import shipped
from orchestrator.wire.builds import (
    BuildOrder,
    BuildOutcome,
    ConstantTimeReport,
    FootprintReport,
    FootprintResult,
    Toolchain,
)
from orchestrator.wire.languages.all_languages import language_of_tool
from orchestrator.wire.languages.base import Language

_WAIT_SECONDS = 1.0
"""How long one look for an order waits."""
_MAX_FAILURE_CHARACTERS = 8000
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class DefaultBuild:
    """The build that the daemon made or found at its start; all other builds use its sources."""

    proved: ProvedBuild
    source: Path | None
    """Folder or archive of its sources; None for prebuilt programs."""
    install: Callable[[BuildObserver], InstalledBuild] | None = None
    """Installs it again without a compiler: from prebuilt programs or from the service's cross-build."""


class Builder:
    """Makes, proves, and reports builds in the spare time of the machine lock, or while its caller holds the lock."""

    def __init__(
        self,
        *,
        default: DefaultBuild,
        client: ServiceClient,
        status: Status,
        orders: BuildOrders,
        ledger: BuildLedger,
        cache_folder: Path,
        cache_bytes: int,
        libraries_file: Path,
    ) -> None:
        """Create a builder; libraries_file: the list of registered libraries.

        Builds use the cores that this thread may use now: the measured core included if it was not left yet, because
        nothing is measured during a build.
        """
        self.default = default
        self.machine_lock = MachineLock()
        self._client = client
        self._status = status
        self._orders = orders
        self._ledger = ledger
        self._cache_folder = cache_folder
        self._cache_bytes = cache_bytes
        self._cores = frozenset(os.sched_getaffinity(0))
        self._libraries_file = libraries_file
        build = default.proved.build
        self._default_reported = False
        self._checks = CheckQueue()
        self._checks.add(build)
        if build.report.cross_built is None:
            # A cross-build cannot be made again here: a compilation with its toolchain is another build.
            ledger.remember(build.build_key, build.report.toolchain)

    def work(self) -> None:
        """Report the default build, once; then make an ordered build, or examine implementations if there is none.

        Raises Unreachable, Interrupted and Preempted.
        """
        if not self._default_reported:
            try:
                self._report_default_build()
            except (Unreachable, Interrupted, Preempted):
                raise
            except CiphermarkError as error:
                _log.error("service rejected the footprints", error=str(error))
            self._default_reported = True
        if not self.work_on_next():
            self.check_next()

    def _report_default_build(self) -> None:
        """Report the footprints of a whole default build. Raises Unreachable, Interrupted and Preempted."""
        if self.default.proved.build.lacks(None):
            return
        with self._spare_time() as spare:
            self._trim(made=None)
            # A job ends it within milliseconds, so the agent is ready.
            observer = self._observer("measuring footprints", spare=spare, state="ready")
            self._report_footprints(self.default.proved, observer)

    def check_next(self) -> bool:
        """Examine the constant time of the next implementations of a build and report it; False if none is left.

        Raises Unreachable, Interrupted and Preempted; results that were not reported are reported next.
        """
        build = self._checks.first()
        if build is None:
            return False
        try:
            with self._spare_time() as spare:
                # A job ends it within milliseconds, so the agent stays ready.
                observer = self._observer("searching for effects of secrets", spare=spare, state="ready")
                results = self._checks.next_results(build, find_valgrind(), observer)
            if results:
                self._client.report_constant_time(build.build_key, ConstantTimeReport(results=results))
                self._checks.confirm()
                return True
        except (Unreachable, Interrupted, Preempted):
            raise
        except (CiphermarkError, OSError) as error:
            # A service whose disk is full stores no results.
            _log.error("constant time not reported", build_key=build.build_key, error=str(error))
        self._checks.finish(build)
        return True

    def work_on_next(self, seconds: float = _WAIT_SECONDS) -> bool:
        """Make, prove, and report the next ordered build; return False if no order arrives within `seconds`.

        Raises Unreachable, Interrupted and Preempted; the order is requeued in these cases.
        """
        orders = self._orders
        order = orders.start_next(seconds)
        if order is None:
            return False
        try:
            with self._spare_time() as spare:
                outcome = self._outcome_of(order, spare)
                self._client.settle_build_request(order.request_id, outcome)
        except (Unreachable, Interrupted, Preempted):
            orders.requeue()
            raise
        except CiphermarkError as error:
            _log.error("service rejected the outcome of a build", request_id=order.request_id, error=str(error))
            orders.finish(REJECTED_REST_SECONDS)
            return True
        except BaseException:
            orders.requeue()
            raise
        orders.finish()
        _log.info("build order finished", request_id=order.request_id, failure=outcome.failure)
        return True

    def restore_build(self, build_key: str, stopped: Callable[[], bool]) -> None:
        """Make a build again that a job needs and that is missing or damaged; the caller holds the machine lock.

        A build that fails is only logged: the job's executions that need it fail. Raises NoRoom or Unreachable if it
        must be tried again later.
        """
        default, toolchain = self.default, self._ledger.toolchain_of(build_key)
        make = default.install if build_key == default.proved.build.build_key else None
        if make is None and toolchain is not None:
            make = partial(self._make, toolchain)
        if make is not None and not stopped():
            self._restore(build_key, make, stopped)

    def _restore(
        self, build_key: str, make: Callable[[BuildObserver], InstalledBuild], stopped: Callable[[], bool]
    ) -> None:
        self.machine_lock.preempt()  # A paused build has the lock of the cache.
        observer = self._observer("building runners that were damaged or removed", stopped)
        try:
            made = make(observer)
            prove(made, observer.report)
            if made.build_key != build_key:
                # Sources, compiler or prebuilt programs changed since the start: another build, as after a restart.
                _log.error("build not restored: its sources changed", build_key=build_key, made=made.build_key)
        except (BuildFailed, OSError) as error:
            _log.error("build not restored", build_key=build_key, error=str(error))
            if isinstance(error, OSError) and error.errno in _NO_ROOM:
                remedy = "Make room on its disk; the job continues by itself."
                raise NoRoom(f"A build cannot be stored: {error.strerror}.", remedy=remedy) from error
        except Interrupted:
            _log.info("build not restored: job stopped", build_key=build_key)
        finally:
            self._status.report("ready")

    def _outcome_of(self, order: BuildOrder, spare: SpareTime) -> BuildOutcome:
        try:
            toolchain = read_toolchain(order.toolchain)
            observer = self._observer(f"building runners with {toolchain.words}", spare=spare)
            made = self._make(toolchain, observer)
            self._report(made, observer)
            self._trim(made=made.build_key)
        except BuildFailed as error:
            return BuildOutcome(failure=str(error)[-_MAX_FAILURE_CHARACTERS:])
        except InvalidRequest as error:
            return BuildOutcome(failure=f"The service rejected the build report: {error}"[-_MAX_FAILURE_CHARACTERS:])
        except OSError as error:
            return BuildOutcome(failure=f"The proofs or footprints of the build could not be written: {error}")
        return BuildOutcome(build_key=made.build_key)

    def _make(self, toolchain: Toolchain, observer: BuildObserver) -> InstalledBuild:
        """Make or find a build of the default build's sources, or of a language."""
        language = language_of_tool(toolchain.compiler)
        with self._all_cores():
            if language is None:
                made = self._make_native(toolchain, observer)
            else:
                made = self._make_language(language, toolchain, observer)
        self._ledger.remember(made.build_key, toolchain)
        return made

    def _make_native(self, toolchain: Toolchain, observer: BuildObserver) -> InstalledBuild:
        library = chosen_library(toolchain.library, self._libraries_file) if toolchain.library else None
        return build(self._source(), toolchain, self._cache_folder, observer, library)

    def _make_language(self, language: Language, toolchain: Toolchain, observer: BuildObserver) -> InstalledBuild:
        source = self.default.source or shipped("runners")  # Prebuilt native runners have no sources.
        with source_folder(source) as folder:
            return build_language(folder, language, toolchain, self._cache_folder, observer)

    def _source(self) -> Path:
        source = self.default.source
        if source is None:
            raise BuildFailed(
                "This agent has prebuilt runners (CIPHERMARK_RUNNERS_FOLDER) and cannot build others.",
                remedy="Start its daemon without that setting, or leave toolchains out of the plan.",
            )
        expected = self.default.proved.build.report.source_sha256
        found = source_sha256(source) if source.is_dir() else expected
        if found != expected:
            raise BuildFailed(
                f"The runner sources changed since the daemon started: {(found or '')[:12]}, "
                f"expected {(expected or '')[:12]}.",
                remedy="Restart the daemon: builds can be compared only if they have the same sources.",
            )
        return source

    def _report(self, made: InstalledBuild, observer: BuildObserver) -> None:
        client, default_key = self._client, self.default.proved.build.build_key
        client.report_build(made.report.model_copy(update={"is_default": made.build_key == default_key}))
        with self._all_cores():
            proofs = prove(made, observer.report)
        report = proof_report_of(made, proofs, observer.report)
        if report is not None:
            report_proofs(client, made, report)
        self._report_footprints(ProvedBuild(made, proofs), observer)
        self._checks.add(made)

    def _report_footprints(self, proved: ProvedBuild, observer: BuildObserver) -> None:
        self._report_sizes(proved, find_footprints(proved.build, proved.proofs, observer))
        source = self.default.source
        # The targets do not depend on the toolchain of a build, and need the sources.
        if source is not None and source.is_dir() and proved.build is self.default.proved.build:
            for rows in target_footprints(proved.build, source, observer):
                self._report_sizes(proved, rows)

    def _report_sizes(self, proved: ProvedBuild, rows: list[FootprintResult]) -> None:
        if rows:
            self._client.report_footprints(proved.build.build_key, FootprintReport(footprints=rows))

    def _trim(self, made: str | None) -> None:
        keep = {self.default.proved.build.build_key, *self._orders.kept_builds, *([made] if made else [])}
        trim_cache(self._cache_folder, self._cache_bytes, keep)

    def _observer(
        self,
        activity: str,
        stopped: Callable[[], bool] = lambda: False,
        spare: SpareTime | None = None,
        state: State = "preparing",
    ) -> BuildObserver:
        """Return an observer that reports an activity; with a spare time, the build pauses when that is over."""
        status = self._status
        status.report(state, activity)

        def progress(line: str) -> None:
            status.report(state, f"{activity}: {step_summary(line)}")

        def is_stopped() -> bool:
            return stopped() or status.wait_for_shutdown(0)

        if spare is None:
            return BuildObserver(progress, is_stopped)

        def wait() -> None:
            status.report(state, f"{activity}: paused")
            _log.info("build paused", activity=activity)
            spare.wait_for_turn()
            _log.info("build continues", activity=activity)
            status.report(state, activity)

        return BuildObserver(progress, is_stopped, is_paused=spare.is_over, wait=wait, clock=spare.clock)

    @contextmanager
    def _spare_time(self) -> Iterator[SpareTime]:
        """Wait for spare time of the machine, and report ``ready`` at the end. Raises Preempted at the shutdown."""
        with self.machine_lock.spare_time(lambda: self._status.wait_for_shutdown(0)) as spare:
            try:
                yield spare
            finally:
                self._status.report("ready")

    @contextmanager
    def _all_cores(self) -> Iterator[None]:
        """Let this thread and its child processes use all cores of the builder."""
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self._cores)
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)
