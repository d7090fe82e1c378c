"""Dispatch: keeps each serving agent's window of sent and running jobs full.

A short window keeps the queue short, so that a cancelled or paused run stops quickly and a run of higher priority
starts soon. A job's state and its row in the outbox are written in one transaction; the queue follows.
"""

from datetime import datetime

import structlog
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Outbox
from orchestrator.scheduler.repository import count_open_jobs, lock_agent, mark_sent, next_jobs, serving_agents

WINDOW = 2
"""Jobs of one agent that are queued or running at the same time."""

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
                sent += _send(session, job_id, agent_id, moment)
    return sent


def _needs_jobs(session: Session, agent_id: str) -> bool:
    # Checked without a write transaction, because most ticks have nothing to send.
    return count_open_jobs(session, agent_id) < WINDOW and bool(next_jobs(session, agent_id, 1))


def _send(session: Session, job_id: int, agent_id: str, moment: datetime) -> bool:
    if not mark_sent(session, job_id, "waiting", moment):
        return False
    session.add(Outbox(job_id=job_id, agent_id=agent_id))
    _log.info("job dispatched", job_id=job_id, agent_id=agent_id)
    return True
