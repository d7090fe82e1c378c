"""Time of the last tick of a program (the scheduler), in one row."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from orchestrator.database.models import Tick
from orchestrator.database.rows import upsert

SCHEDULER = "scheduler"


def note_tick(session: Session, at: datetime, program: str = SCHEDULER) -> None:
    """Store the time of a tick of a program, in a write transaction: for the scheduler, that of its beginning."""
    statement = upsert(session, Tick).values(program=program, ticked_at=at)
    session.execute(statement.on_conflict_do_update(index_elements=["program"], set_={"ticked_at": at}))


def last_tick(session: Session, program: str = SCHEDULER) -> datetime | None:
    """Return the time of the last tick of a program, or None if there was none."""
    return session.scalar(select(Tick.ticked_at).where(Tick.program == program))
