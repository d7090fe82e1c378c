"""Holding a run while a scheduler lays some of it out: one at a time, and a dead one is replaced."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import or_, update
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Run, now
from orchestrator.database.rows import changed
from orchestrator.runs.state import RunState

SILENT = timedelta(seconds=5)
"""A scheduler that lays a run out writes each few milliseconds; after this long it is taken for dead."""

RELEASED: dict[str, Any] = {"lease_token": None, "lease_renewed_at": None}
"""The columns of a run that nobody holds."""


class NotOurs(Exception):
    """The run was cancelled or paused meanwhile, or another scheduler took it over."""


@dataclass(frozen=True)
class Hold:
    """A run in a state in which this scheduler alone lays it out."""

    database: Database
    run_id: str
    state: RunState
    token: str

    @contextmanager
    def batch(self) -> Iterator[Session]:
        """Give a write transaction in which the run is still ours and in its state; raise NotOurs where it is not."""
        with self.database.write() as session:
            ours = update(Run).where(Run.id == self.run_id, Run.state == self.state, Run.lease_token == self.token)
            if not changed(session, ours.values(lease_renewed_at=now())):
                raise NotOurs
            yield session


def take(session: Session, database: Database, run_id: str, state: RunState) -> Hold | None:
    """Hold a run that is in this state and that nobody holds; needs a write transaction."""
    at = now()
    free = or_(Run.lease_renewed_at.is_(None), Run.lease_renewed_at < at - SILENT)
    token = secrets.token_hex(16)
    taken = update(Run).where(Run.id == run_id, Run.state == state, free)
    if not changed(session, taken.values(lease_token=token, lease_renewed_at=at)):
        return None
    return Hold(database, run_id, state, token)
