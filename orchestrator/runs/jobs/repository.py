"""Queries of jobs and their executions, and guarded changes of a job's state."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import exists, func, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Build, Calibration, Case, Execution, GrantedClaim, Job, RunAgent
from orchestrator.database.rows import changed, stored
from orchestrator.runs.state import OPEN_JOBS, JobState
from orchestrator.service.keyset import Rows, rows_after
from orchestrator.shared.values.boot_clock import boot_time

_NOT_STARTED: dict[str, object] = {"attempts": Job.attempts - 1, "session_id": None, "sent_at": None}
"""Columns of a job whose start ended without a crash, which does not count as an attempt."""


@dataclass(frozen=True)
class JobStart:
    """Start of a job by a session of its agent's daemon."""

    session_id: str
    at: datetime
    recorded: int
    """Executions of the job that have a record."""
    fruitless_attempts: int
    """Attempts in a row before this one that ended with a crash and without a new record."""


def list_jobs(session: Session, run_id: str, state: str | None, cursor: str | None, limit: int) -> Rows[Job]:
    """Return a page of the jobs of a run."""
    query = select(Job).where(Job.run_id == run_id)
    if state is not None:
        query = query.where(Job.state == state)
    return rows_after(session, query, (Job.id,), cursor, limit)


def runs_of_jobs(session: Session, job_ids: Sequence[int]) -> list[str]:
    """Return the ids of the runs that these jobs belong to."""
    return list(session.scalars(select(Job.run_id).where(Job.id.in_(job_ids)).distinct()))


def incomplete_jobs(session: Session, job_ids: Sequence[int]) -> set[int]:
    """Return which of these jobs have executions without a record."""
    waiting = select(Execution.job_id).where(Execution.job_id.in_(job_ids), Execution.state == "waiting").distinct()
    return {job_id for job_id in session.scalars(waiting) if job_id is not None}


def is_incomplete(session: Session, job_id: int) -> bool:
    """Return whether a job has executions without a record."""
    return bool(session.scalar(select(exists().where(Execution.job_id == job_id, Execution.state == "waiting"))))


def unrecorded_executions(session: Session, job_id: int) -> Sequence[tuple[Execution, Case, str]]:
    """Return the executions of a job that have no record yet, in their order, with their case and build key."""
    rows = session.execute(
        select(Execution, Case, Build.build_key)
        .join(Case, Case.id == Execution.case_id)
        .join(Build, Build.id == Case.build_id)
        .where(Execution.job_id == job_id, Execution.state == "waiting")
        .order_by(Execution.position)
    )
    return [(execution, case, build_key) for execution, case, build_key in rows]


def recorded_positions(session: Session, job_id: int) -> list[int]:
    """Return the positions of the executions of a job that have a record."""
    recorded = select(Execution.position).where(Execution.job_id == job_id, Execution.state != "waiting")
    return [position for position in session.scalars(recorded) if position is not None]


def start(session: Session, job: Job, start: JobStart) -> bool:
    """Set a job to running for a daemon's session, which counts as an attempt.

    Returns False where another claim started it since it was read.
    """
    statement = update(Job).where(Job.id == job.id, Job.state == job.state, Job.attempts == job.attempts)
    values = {"session_id": start.session_id, "started_at": start.at, "attempts": job.attempts + 1}
    progress = {"fruitless_attempts": start.fruitless_attempts, "records_before": start.recorded}
    return bool(changed(session, statement.values(state=JobState.RUNNING, **values, **progress)))


def freeze_facts(session: Session, job: Job, at: datetime) -> None:
    """Store what the agent of a job is at its first claim of the run; later claims change nothing."""
    agent = session.get_one(Agent, job.agent_id)
    newest = select(func.coalesce(func.max(Calibration.id), 0)).where(Calibration.agent_id == job.agent_id)
    of_run = update(RunAgent).where(RunAgent.run_id == job.run_id, RunAgent.agent_id == job.agent_id)
    changed(
        session,
        of_run.where(RunAgent.started_at.is_(None)).values(
            started_at=at,
            inventory_id=agent.inventory_id,
            health=agent.health,
            health_reason=agent.health_reason,
            last_calibration_id=newest.scalar_subquery(),
        ),
    )


def add_claim(session: Session, job: Job, session_id: str, attempt: int) -> int:
    """Store a granted claim and return its id."""
    at = boot_time()
    claim = GrantedClaim(
        job_id=job.id, agent_id=job.agent_id, session_id=session_id, attempt=attempt, boot_id=at.boot_id,
        granted_boot_ns=at.at_ns,
    )  # fmt: skip
    return stored(session, claim).id


def claim_of_session(session: Session, job_id: int, session_id: str) -> int | None:
    """Return the id of the latest claim of a job by a session; None for a claim of an earlier version."""
    claims = select(GrantedClaim.id).where(GrantedClaim.job_id == job_id, GrantedClaim.session_id == session_id)
    return session.scalar(claims.order_by(GrantedClaim.id.desc()).limit(1))


def requeue_running(session: Session, job_id: int, session_id: str) -> bool:
    """Let a job that this session runs wait again; return False where the session does not run it."""
    running = update(Job).where(Job.id == job_id, Job.state == JobState.RUNNING, Job.session_id == session_id)
    return bool(changed(session, running.values(state=JobState.WAITING, **_NOT_STARTED)))


def requeue_sent_job(session: Session, job_id: int) -> None:
    """Let a job that was sent and not started wait again."""
    sent = update(Job).where(Job.id == job_id, Job.state == JobState.SENT)
    changed(session, sent.values(state=JobState.WAITING, sent_at=None))


def requeue_sent(session: Session, run_id: str) -> None:
    """Let the jobs of a run that were sent and not started wait again; claims of the earlier messages are refused."""
    sent = update(Job).where(Job.run_id == run_id, Job.state == JobState.SENT)
    changed(session, sent.values(state=JobState.WAITING, sent_at=None))


def cancel_open(session: Session, run_id: str) -> None:
    """Cancel every open job of a run; the interrupted start of a running job does not count as an attempt."""
    running = update(Job).where(Job.run_id == run_id, Job.state == JobState.RUNNING)
    changed(session, running.values(state=JobState.CANCELLED, **_NOT_STARTED))
    others = update(Job).where(Job.run_id == run_id, Job.state.in_(OPEN_JOBS))
    changed(session, others.values(state=JobState.CANCELLED))


def reopen(session: Session, run_id: str, at: datetime) -> None:
    """Let the cancelled and lost jobs of a run that have executions without a record wait again; others are done."""
    ended = (Job.run_id == run_id, Job.state.in_((JobState.CANCELLED, JobState.LOST)))
    job_ids = list(session.scalars(select(Job.id).where(*ended)))
    waiting = {"sent_at": None, "finished_at": None, "session_id": None, "fruitless_attempts": 0, "reason": ""}
    changed(session, update(Job).where(*ended).values(state=JobState.WAITING, **waiting))
    for job_id in job_ids:
        if not is_incomplete(session, job_id):
            done = update(Job).where(Job.id == job_id, Job.state == JobState.WAITING)
            changed(session, done.values(state=JobState.DONE, finished_at=at))


def lose(session: Session, job: Job, reason: str, at: datetime) -> bool:
    """Set a job to lost; return False where another claim started it since it was read."""
    statement = update(Job).where(Job.id == job.id, Job.state == job.state, Job.attempts == job.attempts)
    return bool(changed(session, statement.values(state=JobState.LOST, reason=reason, finished_at=at)))


def finish(session: Session, job_id: int, at: datetime) -> bool:
    """Set a job to done; return False where it was done already."""
    # Records may complete a cancelled job too, and nothing of it is left to resume.
    unfinished = (*OPEN_JOBS, JobState.CANCELLED, JobState.LOST)
    statement = update(Job).where(Job.id == job_id, Job.state.in_(unfinished))
    return bool(changed(session, statement.values(state=JobState.DONE, reason="", finished_at=at)))
