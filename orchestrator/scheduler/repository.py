"""What the scheduler reads of agents, jobs and the outbox."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.agents.liveness import serving
from orchestrator.database.models import Agent, Job, Outbox, Run


@dataclass(frozen=True)
class IdleAgent:
    """A live agent that holds no job."""

    agent_id: str
    idle_since: datetime


@dataclass(frozen=True)
class OutboxEntry:
    """One row of the outbox: a job on its way to its agent's queue."""

    outbox_id: int
    job_id: int
    agent_id: str
    job_state: str
    revoked: bool


def serving_agents(session: Session, moment: datetime) -> list[str]:
    """Return the ids of the serving agents."""
    return list(session.scalars(select(Agent.id).where(serving(moment)).order_by(Agent.id)))


def idle_agents(session: Session, moment: datetime, idle_seconds: float) -> list[IdleAgent]:
    """Return the serving agents that have held no job for at least so long."""
    latest = moment - timedelta(seconds=idle_seconds)
    idle = select(Agent.id, Agent.idle_since).where(serving(moment), Agent.idle_since <= latest)
    return [IdleAgent(agent_id, since) for agent_id, since in session.execute(idle) if since is not None]


def jobs_under_way(session: Session, agent_id: str) -> int:
    """Return how many jobs of the agent are in its queue or in work."""
    under_way = select(func.count()).where(Job.agent_id == agent_id, Job.state.in_(("sent", "running")))
    return session.scalar(under_way) or 0


def next_jobs(session: Session, agent_id: str, limit: int) -> list[int]:
    """Return the agent's next waiting jobs: runs by priority, then submission; jobs in their order."""
    jobs = (
        select(Job.id)
        .join(Run, Run.id == Job.run_id)
        .where(Job.agent_id == agent_id, Job.state == "waiting", Run.state == "running")
        .order_by(Run.priority, Run.submitted_at, Run.id, Job.number)
        .limit(limit)
    )
    return list(session.scalars(jobs))


def outbox_entries(session: Session, limit: int) -> list[OutboxEntry]:
    """Return the oldest rows of the outbox."""
    rows = (
        select(Outbox.id, Outbox.job_id, Outbox.agent_id, Job.state, Agent.revoked_at)
        .join(Job, Job.id == Outbox.job_id)
        .join(Agent, Agent.id == Outbox.agent_id)
        .order_by(Outbox.id)
        .limit(limit)
    )
    return [
        OutboxEntry(outbox_id, job_id, agent_id, state, revoked_at is not None)
        for outbox_id, job_id, agent_id, state, revoked_at in session.execute(rows)
    ]


def forgotten_jobs(session: Session, agent: IdleAgent, moment: datetime, idle_seconds: float) -> list[tuple[int, str]]:
    """Return (job, state) of what an idle agent should hold and does not.

    A job that was sent only just now may be on its way this very moment: it has the same time as the agent.
    """
    latest = moment - timedelta(seconds=idle_seconds)
    on_its_way = select(Outbox.job_id).where(Outbox.agent_id == agent.agent_id)
    jobs = (
        select(Job.id, Job.state)
        .join(Run, Run.id == Job.run_id)
        .where(
            Run.state == "running",
            Job.agent_id == agent.agent_id,
            Job.state.in_(("sent", "running")),
            Job.id.not_in(on_its_way),
            func.coalesce(Job.sent_at, Job.started_at) <= latest,
        )
        .order_by(Job.id)
    )
    return [(job_id, state) for job_id, state in session.execute(jobs)]
