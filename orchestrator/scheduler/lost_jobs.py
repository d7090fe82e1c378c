"""Resends lost jobs: a live agent that stays idle does not have the jobs that were sent to it.

Silence is no reason to resend a job, because an agent that sends no heartbeats may be measuring. Only repeated
heartbeats that list no job show that Redis lost the message (it was wiped) or that the daemon never received it.
"""

from datetime import datetime

import structlog
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Outbox
from orchestrator.scheduler.repository import IdleAgent, idle_agents, lost_jobs, mark_sent

IDLE_RESEND_SECONDS = 4.0
"""A sent job that a live, idle agent has not claimed after this time is resent."""

_log = structlog.get_logger(__name__)


def resend_lost_jobs(database: Database, idle_seconds: float, moment: datetime) -> int:
    """Put the jobs that idle agents should hold into the outbox again; return how many."""
    with database.read() as session:
        agents = [
            agent
            for agent in idle_agents(session, moment, idle_seconds)
            if lost_jobs(session, agent, moment, idle_seconds)
        ]
    return sum(_resend_to(database, agent, idle_seconds, moment) for agent in agents)


def _resend_to(database: Database, agent: IdleAgent, idle_seconds: float, moment: datetime) -> int:
    with database.write() as session:
        jobs = lost_jobs(session, agent, moment, idle_seconds)
        return sum(_resend(session, job_id, state, agent.agent_id, moment) for job_id, state in jobs)


def _resend(session: Session, job_id: int, state: str, agent_id: str, moment: datetime) -> bool:
    # The state does not change: a running job keeps the session that started it, so that the claim of another
    # session counts as a crash of the first.
    if not mark_sent(session, job_id, state, moment):
        return False
    session.add(Outbox(job_id=job_id, agent_id=agent_id))
    _log.warning("job resent", job_id=job_id, agent_id=agent_id, state=state)
    return True
