"""Statistics of cases are computed after the write transaction that stored their executions, never inside it.

Storing a record counts a change of its case, at a cost that does not depend on what is stored already. The scheduler
includes the changes in the background, with a bounded share of its time. A reader includes those of its run itself if
that is quick; if not, it sees the statistics of a moment ago and how many changes they lack.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Run, now
from orchestrator.results.admission.service import contradictions
from orchestrator.results.case_statistics import FinishedRow, statistics_of
from orchestrator.results.freshness import repository
from orchestrator.results.freshness.repository import StaleCase
from orchestrator.results.schemas import StatisticsLag
from orchestrator.runs.repository import require_run
from orchestrator.runs.scheduling.repository import waiting_for_rounds
from orchestrator.service.events import repository as events
from orchestrator.service.trust import service as trust

READ_EXECUTIONS = 5_000
"""Executions that a reader of a run includes before it reads: about 0.1 s (x86-64, November 2026)."""
EXECUTIONS_AT_ONCE = 2_000
"""Executions read for one write transaction, unless one case has more: they are in memory at the same time."""
BUSY_SHARE = 0.2
"""Maximum share of its time that the scheduler spends on statistics."""
STEP_SECONDS = 0.2
"""Time after which a step of the scheduler includes no further cases."""

_reading = threading.Lock()
"""Held by the reader that includes changes; others do not wait for it and see the earlier statistics."""


def catch_up(database: Database, run_id: str) -> StatisticsLag:
    """Include the changes of a run if that is quick; return those that remain for the scheduler.

    To be called before a transaction that reads the statistics, which would not see what is included within it.
    """
    with database.read() as session:
        found, executions = repository.lag(session, run_id)
        is_quick = found.changes and executions <= READ_EXECUTIONS
        stale = repository.stale_cases_of_run(session, run_id) if is_quick else []
    if not stale or not _reading.acquire(blocking=False):
        return found
    try:
        include(database, stale)
    finally:
        _reading.release()
    with database.read() as session:
        return repository.lag(session, run_id)[0]


@dataclass(frozen=True)
class RunSnapshot:
    """A run and the transaction that reads it, which sees one state."""

    session: Session
    run: Run
    lag: StatisticsLag
    """How far its statistics are behind."""


@contextmanager
def snapshot_of(database: Database, run_id: str) -> Iterator[RunSnapshot]:
    """Include the changes of a run as `catch_up` does, then open the transaction that reads it; raises NotFound."""
    lag = catch_up(database, run_id)
    with database.read() as session:
        yield RunSnapshot(session, require_run(session, run_id), lag)


def include(database: Database, stale: Sequence[StaleCase], seconds: float = float("inf")) -> int:
    """Compute and store the statistics of these cases, for about `seconds`; return the number of cases stored."""
    end, stored = time.monotonic() + seconds, 0
    for part in _parts(stale):
        stored += _include(database, part)
        if time.monotonic() > end:
            break
    return stored


@dataclass
class StatisticsStep:
    """The scheduler's step: first cases that a round waits for, then those that have been stale longest."""

    database: Database
    clock: Callable[[], float] = time.monotonic
    """Returns the monotonic time, in seconds."""
    is_postponed: bool = field(default=False, init=False)
    """Whether the last step left changes, if there are any, to the time after its rest."""
    _idle_until: float = field(default=0.0, init=False)

    def step(self) -> int:
        """Include changes for about `STEP_SECONDS`, and then rest; return the number of cases stored."""
        stored = self._include_for_rounds()
        begin = self.clock()
        self.is_postponed = begin < self._idle_until
        if self.is_postponed:
            return stored
        with self.database.read() as session:
            stale = repository.stale_cases(session, EXECUTIONS_AT_ONCE)
        stored += include(self.database, stale, STEP_SECONDS)
        end = self.clock()
        self._idle_until = end + (end - begin) * (1 / BUSY_SHARE - 1)
        return stored

    def _include_for_rounds(self) -> int:
        # The agent has nothing to do until its next round is laid out, which needs the intervals of its cases.
        with self.database.read() as session:
            stale = [
                one
                for waiting in waiting_for_rounds(session)
                for one in repository.stale_cases_of_run(session, waiting.run_id, waiting.agent_id)
            ]
        return include(self.database, stale)


def _parts(stale: Sequence[StaleCase]) -> Iterator[list[StaleCase]]:
    part, executions = list[StaleCase](), 0
    for one in stale:
        if part and executions + one.executions > EXECUTIONS_AT_ONCE:
            yield part
            part, executions = [], 0
        part.append(one)
        executions += one.executions
    if part:
        yield part


def _include(database: Database, part: Sequence[StaleCase]) -> int:
    read_at = now()
    with database.read() as session:
        # The changes are read first. Executions that are stored in between are included, and counted as not included.
        included = {one.case_id: one.changes for one in repository.stale_cases_among(session, _ids(part))}
        rows = _rows_by_case(session, list(included))
    figures = {case_id: statistics_of(rows[case_id]) for case_id in included}
    if not figures:
        return 0
    with database.write() as session:
        stored = repository.store_statistics(session, figures, included, read_at)
        if stored:
            for agent_id, findings in contradictions(session, figures).items():
                trust.note(session, agent_id, findings)
            for run_id in sorted({one.run_id for one in part}):
                events.note_progress(session, run_id, now())
    return stored


def _rows_by_case(session: Session, case_ids: Sequence[int]) -> dict[int, list[FinishedRow]]:
    rows: dict[int, list[FinishedRow]] = defaultdict(list)
    for row in repository.finished_rows(session, case_ids):
        rows[row.case_id].append(row)
    return rows


def _ids(part: Sequence[StaleCase]) -> list[int]:
    return [one.case_id for one in part]
