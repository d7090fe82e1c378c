"""Pruning: old events, the oldest part of the agents' sensor series, old audit entries, and ended sessions."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import AuditEntry, SensorReading, WebSession
from orchestrator.database.models.base import Numbered
from orchestrator.scheduler.repository import delete_events_before, delete_rows, event_range, outdated_readings
from orchestrator.service.audit.repository import DONE, REFUSED, outdated_entries
from orchestrator.service.security.repository import list_expired_sessions

KEPT_EVENTS = 50_000
_SLACK_EVENTS = 1000
"""Events beyond the number kept at which pruning starts, and maximum number deleted per tick."""
KEPT_READINGS = 200_000
"""Readings per agent: 10 sensors read every 10 s fill that in 2.3 days, one sensor in 23."""
KEPT_READINGS_FOR = timedelta(days=30)
KEPT_DONE = 100_000
KEPT_DONE_FOR = timedelta(days=730)
KEPT_REFUSALS = 20_000
"""Limited apart from completed actions, so that a flood of refusals deletes none of them."""
KEPT_REFUSALS_FOR = timedelta(days=180)
_MAX_ROWS_PER_CALL = 1000


def prune_events(database: Database, kept: int = KEPT_EVENTS) -> int:
    """Delete the oldest events beyond the number kept, at most a thousand per call; return how many.

    A client whose event stream was interrupted for longer reads the state itself.
    """
    with database.read() as session:
        ids = event_range(session)
    if ids is None:
        return 0
    first, last = ids
    if last - first < kept + _SLACK_EVENTS:
        return 0
    with database.write() as session:
        return delete_events_before(session, min(last - kept, first + _SLACK_EVENTS))


def prune_sensor_readings(database: Database, at: datetime, kept: int = KEPT_READINGS) -> int:
    """Delete outdated sensor readings, at most a thousand per call; return how many.

    Outdated are readings older than `KEPT_READINGS_FOR` and those beyond the newest `kept` of their agent.
    """

    def outdated(session: Session) -> Sequence[int]:
        found = outdated_readings(session, at - KEPT_READINGS_FOR, kept, _MAX_ROWS_PER_CALL)
        return found[:_MAX_ROWS_PER_CALL]

    return _prune(database, SensorReading, outdated)


def prune_audit_entries(
    database: Database, at: datetime, kept_done: int = KEPT_DONE, kept_refusals: int = KEPT_REFUSALS
) -> int:
    """Delete outdated audit entries, at most a thousand of each outcome per call; return how many."""
    limits = ((DONE, KEPT_DONE_FOR, kept_done), (REFUSED, KEPT_REFUSALS_FOR, kept_refusals))

    def outdated(session: Session) -> list[int]:
        return [
            entry_id
            for outcome, age, kept in limits
            for entry_id in outdated_entries(session, outcome, at - age, kept, _MAX_ROWS_PER_CALL)
        ]

    return _prune(database, AuditEntry, outdated)


def prune_sessions(database: Database, at: datetime) -> int:
    """Delete expired sessions and login codes of the dashboard, at most a thousand per call; return how many."""
    return _prune(database, WebSession, lambda session: list_expired_sessions(session, at, _MAX_ROWS_PER_CALL))


def _prune(database: Database, table: type[Numbered], outdated: Callable[[Session], Sequence[int]]) -> int:
    """Delete rows by their ids, without a write transaction where there are none; return how many."""
    with database.read() as session:
        ids = outdated(session)
    if not ids:
        return 0
    with database.write() as session:
        return delete_rows(session, table, ids)
