"""The outbox: jobs that the database has given out and Redis has not yet.

A letter is deleted after it was sent. A scheduler that dies in between sends it twice, which the claim and the daemon's
journal make harmless; a letter is never lost.
"""

from collections.abc import Callable

import structlog
from sqlalchemy import delete, update

from orchestrator.database.engine import Database
from orchestrator.database.models import Outbox
from orchestrator.errors import Unavailable
from orchestrator.runs.jobs.message import build_message
from orchestrator.runs.jobs.service import settle
from orchestrator.scheduler.repository import OutboxEntry, outbox_entries
from orchestrator.wire.jobs import JobMessage

LETTERS_PER_TICK = 200

Send = Callable[[JobMessage], None]
"""Puts a job into its agent's queue; raises Unavailable when Redis does not take it."""

_log = structlog.get_logger(__name__)


def flush(database: Database, send: Send) -> int:
    """Send what waits in the outbox, oldest first; return how many were sent.

    Stops at the first letter that Redis does not take: the others would only wait for the same time-out.
    """
    with database.read() as session:
        waiting = outbox_entries(session, LETTERS_PER_TICK)
    sent = 0
    for letter in waiting:
        try:
            sent += _deliver(database, letter, send)
        except Unavailable as error:
            _note_failure(database, letter, error)
            break
    return sent


def _deliver(database: Database, letter: OutboxEntry, send: Send) -> int:
    message = None
    open_still = letter.job_state in {"sent", "running"}
    if open_still and not letter.revoked:
        with database.read() as session:
            message = build_message(session, letter.job_id)
    if message is not None:
        send(message)
    with database.write() as session:
        session.execute(delete(Outbox).where(Outbox.id == letter.outbox_id))
        if message is None and open_still:
            # Every execution has its record by now: nothing is left to send, and the job is done.
            settle(session, [letter.job_id])
    return 1 if message is not None else 0


def _note_failure(database: Database, letter: OutboxEntry, error: Unavailable) -> None:
    _log.warning("job stays in the outbox", job_id=letter.job_id, error=error.detail)
    with database.write() as session:
        session.execute(
            update(Outbox)
            .where(Outbox.id == letter.outbox_id)
            .values(tries=Outbox.tries + 1, last_error=error.detail[:500])
        )
