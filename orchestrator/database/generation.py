"""The generation of a database: a random epoch that changes when a backup is restored.

Agents keep delivered records for some days, and deliver them again to a database with another epoch. Numbers of cases
and jobs that were given after the backup must not be given again, because records are known by them.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Case, Generation, Job, now
from orchestrator.database.rows import stored

ID_GAP = 1_000_000_000
"""Numbers left out after a restore: more than cases or jobs were made since any backup."""


def current(session: Session) -> Generation:
    """Return the generation of the database."""
    return session.scalars(select(Generation).order_by(Generation.id.desc()).limit(1)).one()


def begin(session: Session, backup_made_at: datetime) -> Generation:
    """Begin a new generation, in the write transaction that ends a restore."""
    largest = max(session.scalar(select(func.max(table.id))) or 0 for table in (Case, Job))
    first_id = max(largest, current(session).first_id) + ID_GAP
    found = Generation(epoch=secrets.token_hex(16), began_at=now(), backup_made_at=backup_made_at, first_id=first_id)
    return stored(session, found)


def numbered(
    session: Session, table: type[Case] | type[Job], rows: Sequence[dict[str, Any]]
) -> Sequence[dict[str, Any]]:
    """Return new rows with ids if the database would give ids below the generation's first one; else as they are."""
    first_id = current(session).first_id
    if (session.scalar(select(func.max(table.id))) or 0) >= first_id - 1:
        return rows
    return [{"id": number, **row} for number, row in enumerate(rows, first_id)]
