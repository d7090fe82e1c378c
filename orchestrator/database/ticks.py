"""Time of the last tick of a program (the scheduler), in one row."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.orm import Session

from orchestrator.database.models import Tick

SCHEDULER = "scheduler"


def note_tick(session: Session, at: datetime, program: str = SCHEDULER) -> None:
    """Store the time at which a program finished a tick, in a write transaction."""
    insert = postgresql_insert if session.get_bind().dialect.name == "postgresql" else sqlite_insert
    statement = insert(Tick).values(program=program, ticked_at=at)
    session.execute(statement.on_conflict_do_update(index_elements=["program"], set_={"ticked_at": at}))


def last_tick(session: Session, program: str = SCHEDULER) -> datetime | None:
    """Return the time at which a program last finished a tick, or None if it never did."""
    return session.scalar(select(Tick.ticked_at).where(Tick.program == program))
