"""Dispatch: for every serving agent, as many jobs on their way as its window allows, and not one more.

A short window keeps the queue short, so that a cancelled or paused run stops almost at once and a run of higher
priority comes next. The job's state and its row in the outbox are written in one transaction; the queue is told
afterwards.
"""

from datetime import datetime

import structlog
from sqlalchemy import update
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Job, Outbox
from orchestrator.scheduler.repository import jobs_under_way, next_jobs, serving_agents

_log = structlog.get_logger(__name__)


def dispatch(database: Database, window: int, moment: datetime) -> int:
    """Mark the next jobs of all serving agents as sent and put them into the outbox; return how many."""
    with database.read() as session:
        agents = [
            agent_id for agent_id in serving_agents(session, moment) if _has_room_and_work(session, agent_id, window)
        ]
    sent = 0
    for agent_id in agents:
        with database.write() as session:
            free = window - jobs_under_way(session, agent_id)
            for job_id in next_jobs(session, agent_id, max(free, 0)):
                sent += _send(session, job_id, agent_id, moment)
    return sent


def _has_room_and_work(session: Session, agent_id: str, window: int) -> bool:
    # Looked at without a write transaction first: most ticks have nothing to send.
    return jobs_under_way(session, agent_id) < window and bool(next_jobs(session, agent_id, 1))


def _send(session: Session, job_id: int, agent_id: str, moment: datetime) -> int:
    changed = session.execute(
        update(Job).where(Job.id == job_id, Job.state == "waiting").values(state="sent", sent_at=moment)
    )
    if changed.rowcount != 1:  # type: ignore[attr-defined]
        return 0
    session.add(Outbox(job_id=job_id, agent_id=agent_id))
    _log.info("job dispatched", job_id=job_id, agent_id=agent_id)
    return 1
