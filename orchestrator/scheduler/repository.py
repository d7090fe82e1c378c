"""Statements of the scheduler: agents, jobs, the outbox, and rows that are pruned."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from orchestrator.agents.liveness import serving
from orchestrator.database.models import Agent, APIToken, Event, Job, Outbox, Run, SensorReading
from orchestrator.database.models.base import Numbered
from orchestrator.database.rows import changed, lock
from orchestrator.queue.redis_users import AgentUser
from orchestrator.service.events import repository as events


@dataclass(frozen=True)
class OutboxEntry:
    """One row of the outbox: a job to be put into its agent's queue."""

    outbox_id: int
    job_id: int
    agent_id: str
    job_state: str
    revoked: bool


def agent_users(session: Session, at: datetime) -> list[AgentUser]:
    """Return the Redis user of every agent that is not revoked and whose queue is not closed.

    Its passwords are that of its running session, and those of its valid tokens, which its next session uses.
    """
    open_queue = (Agent.revoked_at.is_(None), Agent.queue_closed_reason.is_(None))
    agents = session.execute(select(Agent.id, Agent.broker_password_hash).where(*open_queue))
    passwords = {agent_id: [password_sha256] for agent_id, password_sha256 in agents}
    of_tokens = select(APIToken.agent_id, APIToken.broker_password_hash).where(
        APIToken.broker_password_hash.is_not(None),
        APIToken.revoked_at.is_(None),
        or_(APIToken.expires_at.is_(None), APIToken.expires_at > at),
    )
    for agent_id, password_sha256 in session.execute(of_tokens):
        if agent_id in passwords:
            passwords[agent_id].append(str(password_sha256))
    return [AgentUser(agent_id, tuple(sorted(set(found)))) for agent_id, found in passwords.items()]


def close_queue(session: Session, agent_id: str, reason: str) -> bool:
    """Close an agent's queue until its next approval; return False if it is closed or the agent revoked already."""
    closed = changed(
        session,
        update(Agent)
        .where(Agent.id == agent_id, Agent.revoked_at.is_(None), Agent.queue_closed_reason.is_(None))
        .values(queue_closed_reason=reason, approved_at=None),
    )
    if closed:
        events.note(session, "agent-state", None, agent_id, state="queue closed", reason=reason)
    return bool(closed)


def serving_agents(session: Session, moment: datetime) -> list[str]:
    """Return the ids of the serving agents."""
    return list(session.scalars(select(Agent.id).where(serving(moment)).order_by(Agent.id)))


def idle_agents(session: Session, moment: datetime, idle_seconds: float) -> list[str]:
    """Return the ids of the serving agents that have held no job for at least `idle_seconds`."""
    latest = moment - timedelta(seconds=idle_seconds)
    return list(session.scalars(select(Agent.id).where(serving(moment), Agent.idle_since <= latest)))


def lock_agent(session: Session, agent_id: str) -> None:
    """Lock an agent until the end of the write transaction, so that two schedulers do not both fill its window."""
    lock(session, select(Agent.id).where(Agent.id == agent_id))


def count_open_jobs(session: Session, agent_id: str) -> int:
    """Return how many jobs of the agent are sent or running."""
    open_jobs = select(func.count()).where(Job.agent_id == agent_id, Job.state.in_(("sent", "running")))
    return session.scalar(open_jobs) or 0


def next_jobs(session: Session, agent_id: str, limit: int) -> list[int]:
    """Return the agent's next waiting jobs, by priority of the run, submission, and number."""
    waiting = (Job.agent_id == agent_id, Job.state == "waiting")
    if limit <= 0 or not session.scalar(select(exists().where(*waiting))):
        return []  # The usual case, without a look at the runs.
    # From the runs, in the order of an index, to their jobs in the order of another: nothing is sorted.
    in_order = select(Run.id).where(Run.state == "running").order_by(Run.priority, Run.submitted_at, Run.id)
    found = list[int]()
    for run_id in session.scalars(in_order):
        of_run = select(Job.id).where(Job.run_id == run_id, *waiting).order_by(Job.number)
        found += session.scalars(of_run.limit(limit - len(found)))
        if len(found) == limit:
            break
    return found


def mark_sent(session: Session, job_id: int, state: str, moment: datetime) -> bool:
    """Mark a job that is still in `state` as sent, or as sent again; return whether it was."""
    new_state = "sent" if state == "waiting" else state
    statement = update(Job).where(Job.id == job_id, Job.state == state).values(state=new_state, sent_at=moment)
    return changed(session, statement) == 1


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


def delete_outbox_entry(session: Session, outbox_id: int) -> None:
    """Delete a row of the outbox."""
    session.execute(delete(Outbox).where(Outbox.id == outbox_id))


def count_failed_try(session: Session, outbox_id: int, error: str) -> None:
    """Store why the job of a row could not be sent."""
    failed = update(Outbox).where(Outbox.id == outbox_id).values(tries=Outbox.tries + 1, last_error=error)
    session.execute(failed)


def lost_jobs(session: Session, agent_id: str, moment: datetime, idle_seconds: float) -> list[tuple[int, str]]:
    """Return (job, state) of the jobs that an idle agent should hold and does not.

    A job that was sent less than `idle_seconds` ago may still be on its way.
    """
    latest = moment - timedelta(seconds=idle_seconds)
    in_outbox = select(Outbox.job_id).where(Outbox.agent_id == agent_id)
    jobs = (
        select(Job.id, Job.state)
        .join(Run, Run.id == Job.run_id)
        .where(
            Run.state == "running",
            Job.agent_id == agent_id,
            Job.state.in_(("sent", "running")),
            Job.id.not_in(in_outbox),
            func.coalesce(Job.sent_at, Job.started_at) <= latest,
        )
        .order_by(Job.id)
    )
    return [(job_id, state) for job_id, state in session.execute(jobs)]


def event_range(session: Session) -> tuple[int, int] | None:
    """Return the ids of the first and the last event; None if there are no events."""
    # SQLite reads the index for one minimum or maximum, and all events for both in one SELECT.
    ends = (select(func.min(Event.id)).scalar_subquery(), select(func.max(Event.id)).scalar_subquery())
    first, last = session.execute(select(*ends)).one()
    return None if last is None else (first, last)


def delete_events_before(session: Session, event_id: int) -> int:
    """Delete all events before this id; return how many."""
    return changed(session, delete(Event).where(Event.id < event_id))


def outdated_readings(session: Session, oldest: datetime, kept: int, limit: int) -> list[int]:
    """Return ids of sensor readings before `oldest` and beyond the newest `kept` of their agent.

    limit: maximum per agent. Readings of the same moment as the last one kept are kept, too.
    """
    found = list[int]()
    for agent_id in session.scalars(select(Agent.id)).all():
        of_agent = SensorReading.agent_id == agent_id
        newest_first = select(SensorReading.read_at).where(of_agent).order_by(SensorReading.read_at.desc())
        first_kept = session.scalar(newest_first.offset(kept - 1).limit(1))
        before = oldest if first_kept is None else max(first_kept, oldest)
        outdated = select(SensorReading.id).where(of_agent, SensorReading.read_at < before)
        found += session.scalars(outdated.order_by(SensorReading.read_at).limit(limit))
    return found


def delete_rows(session: Session, table: type[Numbered], ids: Sequence[int]) -> int:
    """Delete the rows with these ids; return how many."""
    return changed(session, delete(table).where(table.id.in_(ids)))
