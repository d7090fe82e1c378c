"""Events: rows that listeners hear by server-sent events. Written in the transaction that changed the state."""

from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Event

Kind = Literal["run-state", "job-state", "progress", "verdict", "agent-state", "agent-health"]

PROGRESS_EACH = timedelta(seconds=0.5)
"""Short executions arrive by the hundred in a second; nobody listens that fast."""


def note(session: Session, kind: Kind, run_id: str | None, agent_id: str | None = None, **data: Any) -> None:
    """Write an event; needs a write transaction."""
    session.add(Event(kind=kind, run_id=run_id, agent_id=agent_id, data=data))


def note_progress(session: Session, run_id: str, at: datetime) -> None:
    """Write that executions of a run ended, in the place of the run's latest such event if that is half a second old.

    The former one is taken away after the new one stands, so that the new one has a higher number and every listener
    hears it: a suppressed last event would leave pages behind until something else happens.
    """
    latest = session.scalar(select(Event).where(Event.run_id == run_id).order_by(Event.id.desc()).limit(1))
    note(session, "progress", run_id)
    session.flush()
    if latest is not None and latest.kind == "progress" and at - latest.at <= PROGRESS_EACH:
        session.delete(latest)


def after(session: Session, event_id: int, run_id: str | None, limit: int = 500) -> list[Event]:
    """Return what happened after an event, oldest first: in one run, or anywhere."""
    query = select(Event).where(Event.id > event_id).order_by(Event.id).limit(limit)
    if run_id is not None:
        query = query.where(Event.run_id == run_id)
    return list(session.scalars(query))


def last_id(session: Session) -> int:
    """Return the number of the latest event, or 0 where there is none."""
    return session.scalar(select(func.max(Event.id))) or 0
