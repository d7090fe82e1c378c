"""Dispatch: keeps each serving agent's window of sent and running jobs full, and sends lost jobs again.

A short window keeps the queue short, so that a cancelled or paused run stops quickly and a run of higher priority
starts soon. A job's state and its row in the outbox are written in one transaction; the queue follows.

Silence is no reason to resend a job, because an agent that sends no heartbeats may be measuring. Only repeated
heartbeats of a live agent that list no job show that Redis lost the message (it was wiped) or that the daemon never
received it.
"""

from collections.abc import Callable
from datetime import datetime

import structlog
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Outbox
from orchestrator.runs.jobs.message import build_message
from orchestrator.runs.jobs.service import settle
from orchestrator.scheduler.repository import (
    OutboxEntry,
    count_failed_try,
    count_open_jobs,
    delete_outbox_entry,
    idle_agents,
    lock_agent,
    lost_jobs,
    mark_sent,
    next_jobs,
    outbox_entries,
    serving_agents,
)
from orchestrator.shared.errors import Unavailable
from orchestrator.wire.jobs import JobMessage

WINDOW = 2
"""Jobs of one agent that are queued or running at the same time."""
IDLE_RESEND_SECONDS = 4.0
"""A sent job that a live, idle agent has not claimed after this time is resent."""

_log = structlog.get_logger(__name__)


def dispatch(database: Database, moment: datetime) -> int:
    """Mark the next jobs of all serving agents as sent and put them into the outbox; return how many."""
    with database.read() as session:
        agents = [agent_id for agent_id in serving_agents(session, moment) if _needs_jobs(session, agent_id)]
    sent = 0
    for agent_id in agents:
        with database.write() as session:
            lock_agent(session, agent_id)
            free = WINDOW - count_open_jobs(session, agent_id)
            for job_id in next_jobs(session, agent_id, max(free, 0)):
                sent += _send(session, job_id, "waiting", agent_id, moment)
    return sent


def resend_lost_jobs(database: Database, idle_seconds: float, moment: datetime) -> int:
    """Put the jobs that idle agents should hold into the outbox again; return how many.

    Their state does not change: a running job keeps the session that started it, so that the claim of another session
    counts as a crash of the first.
    """
    with database.read() as session:
        idle = idle_agents(session, moment, idle_seconds)
        agents = [agent_id for agent_id in idle if lost_jobs(session, agent_id, moment, idle_seconds)]
    sent = 0
    for agent_id in agents:
        with database.write() as session:
            for job_id, state in lost_jobs(session, agent_id, moment, idle_seconds):
                sent += _send(session, job_id, state, agent_id, moment)
    return sent


def _needs_jobs(session: Session, agent_id: str) -> bool:
    # Checked without a write transaction, because most ticks have nothing to send.
    return count_open_jobs(session, agent_id) < WINDOW and bool(next_jobs(session, agent_id, 1))


def _send(session: Session, job_id: int, state: str, agent_id: str, moment: datetime) -> bool:
    if not mark_sent(session, job_id, state, moment):
        return False
    session.add(Outbox(job_id=job_id, agent_id=agent_id))
    if state == "waiting":
        _log.info("job dispatched", job_id=job_id, agent_id=agent_id)
    else:
        _log.warning("job resent", job_id=job_id, agent_id=agent_id, state=state)
    return True


MAX_SENT_PER_TICK = 200
_MAX_ERROR_CHARACTERS = 500

Send = Callable[[JobMessage], None]
"""Puts a job into its agent's queue; raises Unavailable when Redis does not take it."""


def flush(database: Database, send: Send) -> int:
    """Send the jobs in the outbox, which the database has as sent, oldest first; return how many were sent.

    A row is deleted after its job was put into the queue. A scheduler that dies in between sends the job twice, which
    the claim and the daemon's journal make harmless; no job is lost.
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
