"""Leases: one scheduler at a time lays out a run, and another one takes over if it stops."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import TypeVar

from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.runs.scheduling import repository
from orchestrator.runs.scheduling.repository import ROWS_PER_TRANSACTION
from orchestrator.runs.state import RunState

Row = TypeVar("Row")

LEASE_DURATION = timedelta(seconds=5)
"""Time after which a lease that was not renewed is free; a scheduler renews it every few milliseconds."""


class LeaseLost(Exception):
    """The run was cancelled or paused, or another scheduler has taken it over."""


@dataclass(frozen=True)
class Lease:
    """The right of this scheduler to lay out a run while the run is in a state."""

    database: Database
    run_id: str
    state: RunState
    token: str

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Open a write transaction that renews the lease; raise LeaseLost where the lease or the state is gone."""
        with self.database.write() as session:
            if not repository.renew_lease(session, self.run_id, self.state, self.token, now()):
                raise LeaseLost
            yield session

    def write(self, rows: Iterable[Row], insert: Callable[[Session, Sequence[Row]], None]) -> None:
        """Insert the rows in transactions of at most `ROWS_PER_TRANSACTION`."""
        remaining = iter(rows)
        while group := list(islice(remaining, ROWS_PER_TRANSACTION)):
            with self.transaction() as session:
                insert(session, group)

    def repeat(self, delete: Callable[[Session], int]) -> None:
        """Call a function that deletes some rows, each time in a transaction, until it has deleted none."""
        while True:
            with self.transaction() as session:
                if not delete(session):
                    return


def acquire(session: Session, database: Database, run_id: str, state: RunState) -> Lease | None:
    """Return the lease of a run in this state; None where another scheduler has it. Needs a write transaction."""
    token, at = secrets.token_hex(16), now()
    if not repository.acquire_lease(session, run_id, state, token, at, expired_at=at - LEASE_DURATION):
        return None
    return Lease(database, run_id, state, token)
