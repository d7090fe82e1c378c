"""Watching: a live agent that has been idle for a while holds nothing, so what it should hold was lost on the way.

Silence is no reason to send anything again: an agent that is not heard may be measuring. Only a heartbeat that lists no
job, again and again, says that Redis lost the message (it was wiped) or that the daemon never got it.
"""

from datetime import datetime

import structlog
from sqlalchemy import update
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Job, Outbox
from orchestrator.scheduler.repository import IdleAgent, forgotten_jobs, idle_agents

IDLE_RESEND_SECONDS = 4.0
"""A sent job that a live, idle agent has not claimed after this time is sent again."""

_log = structlog.get_logger(__name__)


def watch(database: Database, idle_seconds: float, moment: datetime) -> int:
    """Give out again what live, idle agents should hold and do not; return how many jobs."""
    with database.read() as session:
        idle = [
            agent
            for agent in idle_agents(session, moment, idle_seconds)
            if forgotten_jobs(session, agent, moment, idle_seconds)
        ]
    return sum(_send_again(database, agent, idle_seconds, moment) for agent in idle)


def _send_again(database: Database, agent: IdleAgent, idle_seconds: float, moment: datetime) -> int:
    again = 0
    with database.write() as session:
        for job_id, state in forgotten_jobs(session, agent, moment, idle_seconds):
            again += _give_out(session, job_id, state, agent.agent_id, moment)
    return again


def _give_out(session: Session, job_id: int, state: str, agent_id: str, moment: datetime) -> int:
    # The state stays: a job in work keeps the session that started it, so that the next claim, by another session,
    # counts as the crash that it was.
    changed = session.execute(update(Job).where(Job.id == job_id, Job.state == state).values(sent_at=moment))
    if changed.rowcount != 1:  # type: ignore[attr-defined]
        return 0
    session.add(Outbox(job_id=job_id, agent_id=agent_id))
    _log.warning("job sent again", job_id=job_id, agent_id=agent_id, state=state)
    return 1
