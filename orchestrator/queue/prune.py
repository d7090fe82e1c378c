"""Old events are thrown away: listeners that were away for longer read the state itself."""

from sqlalchemy import delete, func, select

from orchestrator.database.engine import Database
from orchestrator.database.models import Event

KEPT_EVENTS = 50_000
_SLACK_EVENTS = 1000


def prune_events(database: Database, kept: int = KEPT_EVENTS) -> int:
    """Delete the oldest events beyond the number kept, at most a thousand at a time; return how many."""
    with database.read() as session:
        first, last = session.execute(select(func.min(Event.id), func.max(Event.id))).one()
    if last is None or last - first < kept + _SLACK_EVENTS:
        return 0
    limit = min(last - kept, first + _SLACK_EVENTS)
    with database.write() as session:
        return session.execute(delete(Event).where(Event.id < limit)).rowcount  # type: ignore[attr-defined, no-any-return]
