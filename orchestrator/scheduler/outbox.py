"""The outbox: jobs that are sent according to the database and not yet in Redis.

A row is deleted after its job was put into the queue. A scheduler that dies in between sends the job twice, which the
claim and the daemon's journal make harmless; no job is lost.
"""

from collections.abc import Callable

import structlog

from orchestrator.database.engine import Database
from orchestrator.runs.jobs.message import build_message
from orchestrator.runs.jobs.service import settle
from orchestrator.scheduler.repository import OutboxEntry, count_failed_try, delete_outbox_entry, outbox_entries
from orchestrator.shared.errors import Unavailable
from orchestrator.wire.jobs import JobMessage

MAX_SENT_PER_TICK = 200
_MAX_ERROR_CHARACTERS = 500

Send = Callable[[JobMessage], None]
"""Puts a job into its agent's queue; raises Unavailable when Redis does not take it."""

_log = structlog.get_logger(__name__)


def flush(database: Database, send: Send) -> int:
    """Send the jobs in the outbox, oldest first; return how many were sent.

    Stops at the first job that Redis does not take, because the others would wait for the same timeout.
    """
    with database.read() as session:
        entries = outbox_entries(session, MAX_SENT_PER_TICK)
    sent = 0
    for entry in entries:
        try:
            sent += _deliver(database, entry, send)
        except Unavailable as error:
            _log.warning("job stays in the outbox", job_id=entry.job_id, error=error.detail)
            with database.write() as session:
                count_failed_try(session, entry.outbox_id, error.detail[:_MAX_ERROR_CHARACTERS])
            break
    return sent


def _deliver(database: Database, entry: OutboxEntry, send: Send) -> bool:
    message = None
    is_open = entry.job_state in {"sent", "running"}
    if is_open and not entry.revoked:
        with database.read() as session:
            message = build_message(session, entry.job_id)
    if message is not None:
        send(message)
    with database.write() as session:
        delete_outbox_entry(session, entry.outbox_id)
        if message is None and is_open:
            # Every execution has its record: nothing is left to send, and the job is done.
            settle(session, [entry.job_id])
    return message is not None
