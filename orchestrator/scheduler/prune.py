"""What nobody needs any more is thrown away: old events, and the far end of the time lines of sensors."""

from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Event, SensorReading

KEPT_EVENTS = 50_000
_SLACK_EVENTS = 1000
KEPT_READINGS = 200_000
"""Of one agent: 10 sensors each 10 s fill that in 2.3 days, one sensor in 23."""
KEPT_READINGS_FOR = timedelta(days=30)
_READINGS_AT_ONCE = 1000


def prune_events(database: Database, kept: int = KEPT_EVENTS) -> int:
    """Delete the oldest events beyond the number kept, at most a thousand at a time; return how many.

    Listeners that were away for longer read the state itself.
    """
    with database.read() as session:
        first, last = session.execute(select(func.min(Event.id), func.max(Event.id))).one()
    if last is None or last - first < kept + _SLACK_EVENTS:
        return 0
    limit = min(last - kept, first + _SLACK_EVENTS)
    with database.write() as session:
        return session.execute(delete(Event).where(Event.id < limit)).rowcount  # type: ignore[attr-defined, no-any-return]


def prune_sensor_readings(database: Database, at: datetime, kept: int = KEPT_READINGS) -> int:
    """Delete readings that are too old, or too many for their agent, at most a thousand at a time; return how many."""
    with database.read() as session:
        agents = session.scalars(select(Agent.id)).all()
        old = [
            reading_id for agent_id in agents for reading_id in _beyond(session, agent_id, at - KEPT_READINGS_FOR, kept)
        ]
    if not old:
        return 0
    with database.write() as session:
        chosen = delete(SensorReading).where(SensorReading.id.in_(old[:_READINGS_AT_ONCE]))
        return session.execute(chosen).rowcount  # type: ignore[attr-defined, no-any-return]


def _beyond(session: Session, agent_id: str, oldest: datetime, kept: int) -> list[int]:
    theirs = select(SensorReading.id).where(SensorReading.agent_id == agent_id)
    first_kept = session.scalar(theirs.order_by(SensorReading.id.desc()).offset(kept - 1).limit(1))
    by_number = theirs.where(SensorReading.id < (first_kept or 0)).limit(_READINGS_AT_ONCE)
    by_age = theirs.where(SensorReading.read_at < oldest).limit(_READINGS_AT_ONCE)
    return [*session.scalars(by_number), *session.scalars(by_age)]
