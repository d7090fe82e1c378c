"""Deletion of ended runs with everything that only they use; a row without the plan stays, less than 1 KiB.

A request marks the run, which no list shows any more. The scheduler then deletes its rows in transactions of at most
1000, so that a run of a million executions blocks no other writer, and continues after an interruption.
"""

import time

import structlog

from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.runs.deletion import repository
from orchestrator.runs.ownership import lock_own
from orchestrator.runs.repository import ended_by_state
from orchestrator.runs.state import ENDED_RUNS
from orchestrator.service.events import repository as events
from orchestrator.service.security.callers import Caller
from orchestrator.shared.errors import TransitionRefused

STEP_SECONDS = 0.2
"""Time after which a tick deletes no further rows."""
KEPT_FREE_PAGES = 2_500
"""Unused pages of SQLite that stay in the file for new rows: 10 MiB with pages of 4 KiB."""
_PAGES_PER_TRANSACTION = 500

_log = structlog.get_logger(__name__)


def request(database: Database, caller: Caller, run_id: str) -> None:
    """Mark an ended run as deleted. May be repeated.

    Raises NotFound; Forbidden where the caller is no admin and another token submitted the run; TransitionRefused
    where the run has not ended.
    """
    with database.write() as session:
        run = lock_own(session, caller, run_id, "Delete")
        ended = sum(ended_by_state(session, [run]).get(run_id, {}).values())
        if run.state not in ENDED_RUNS or not repository.mark_deleted(session, run_id, now(), ended):
            raise TransitionRefused(
                f"Run {run_id} is {run.state}; only finished, cancelled and failed runs can be deleted.",
                remedy=f"Cancel it first: ciphermark runs cancel {run_id}.",
            )
        events.note(session, "run-state", run_id, state="deleted", reason="")
    _log.info("run marked as deleted", run_id=run_id, by=caller.name)


def execute(database: Database, seconds: float = STEP_SECONDS) -> int:
    """Delete rows of marked runs for about `seconds`, then return free pages; return the number of rows deleted."""
    end, deleted = time.monotonic() + seconds, 0
    with database.read() as session:
        run_id = repository.next_deleted(session)
        free = repository.free_pages(session)
    while run_id is not None and time.monotonic() < end:
        with database.write() as session:
            deleted += repository.delete_part(session, run_id)
            run_id = repository.next_deleted(session)
    if run_id is None and not deleted and free > KEPT_FREE_PAGES:
        _release(database, free - KEPT_FREE_PAGES, end)
    return deleted


def _release(database: Database, pages: int, end: float) -> None:
    while pages > 0 and time.monotonic() < end:
        repository.release_pages(database, min(pages, _PAGES_PER_TRANSACTION))
        pages -= _PAGES_PER_TRANSACTION
