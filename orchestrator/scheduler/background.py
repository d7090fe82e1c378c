"""Steps of the scheduler that take seconds: measuring of source code, watches, reports."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from orchestrator.builds.source_metrics.service import measure_next, needs_measuring
from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.shared.settings import ServiceSettings
from orchestrator.watches.looks import Looks
from orchestrator.watches.reports.delivery import deliver_next, is_delivery_due


class BackgroundStep:
    """Does its work in a thread of its own, one piece after the other; the ticks do not wait for it."""

    def __init__(self, name: str, is_due: Callable[[], bool], work: Callable[[], object]) -> None:
        """Create the thread's executor; the thread starts with the first work.

        is_due: called by each tick that finds no work in progress.
        """
        self._is_due, self._work = is_due, work
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._running: Future[object] | None = None

    def step(self) -> None:
        """Start the work if it is due, unless it is in progress; raise what the last one raised."""
        if self._running is not None and not self._running.done():
            return
        finished, self._running = self._running, None
        if finished is not None:
            finished.result()
        if self._is_due():
            self._running = self._executor.submit(self._work)

    def close(self) -> None:
        """End the thread after its present work."""
        self._executor.shutdown(cancel_futures=True)


def source_step(database: Database) -> BackgroundStep:
    """Return the step that measures the source code of builds; the first build takes seconds."""
    return BackgroundStep("source-code", lambda: needs_measuring(database), lambda: measure_next(database))


def watch_step(database: Database, settings: ServiceSettings) -> BackgroundStep:
    """Return the step that advances the watches; planning and judging a run take seconds."""
    looks = Looks(database, settings, ReadingsCache(runs=2))
    return BackgroundStep("watches", looks.has_watches, lambda: looks.advance(now()))


def report_step(database: Database, settings: ServiceSettings) -> BackgroundStep:
    """Return the step that sends reports; a receiver that does not answer delays only other reports."""
    cache = ReadingsCache(runs=2)
    return BackgroundStep(
        "reports", lambda: is_delivery_due(database, now()), lambda: deliver_next(database, settings, cache, now())
    )
