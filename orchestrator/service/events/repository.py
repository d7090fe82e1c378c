"""The event log. Events are written in the transaction that changes the state."""

from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Event

Kind = Literal["run-state", "job-state", "progress", "verdict", "agent-state", "agent-health"]

PROGRESS_EACH = timedelta(seconds=0.5)
"""Minimum interval of progress events of a run; hundreds of short executions may end in a second."""


def note(session: Session, kind: Kind, run_id: str | None, agent_id: str | None = None, **data: Any) -> None:
    """Write an event; needs a write transaction."""
    session.add(Event(kind=kind, run_id=run_id, agent_id=agent_id, data=data))


def note_progress(session: Session, run_id: str, at: datetime) -> None:
    """Write a progress event, and delete the run's latest one if it is at most `PROGRESS_EACH` old.

    The new event has a higher id than the deleted one, so that every listener receives it. Suppressing it instead would
    leave pages with old progress until the next event.
    """
    latest = session.scalar(select(Event).where(Event.run_id == run_id).order_by(Event.id.desc()).limit(1))
    note(session, "progress", run_id)
    session.flush()
    if latest is not None and latest.kind == "progress" and at - latest.at <= PROGRESS_EACH:
        session.delete(latest)


def after(session: Session, event_id: int, run_id: str | None, limit: int = 500) -> list[Event]:
    """Return the events after an event, oldest first, of one run or of all."""
    query = select(Event).where(Event.id > event_id).order_by(Event.id).limit(limit)
    if run_id is not None:
        query = query.where(Event.run_id == run_id)
    return list(session.scalars(query))


def last_id(session: Session) -> int:
    """Return the id of the latest event, or 0 without events."""
    return session.scalar(select(func.max(Event.id))) or 0
