"""The life of a job after it was sent: claimed, released, stopped, lost; and the message that carries it.

Every change is guarded by the state it expects. A refusal is raised after the transaction, so that what was learnt
(a job is lost) stays.
"""

from dataclasses import dataclass

import structlog
from sqlalchemy import Update, select, update
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Case, Job, Run, now
from orchestrator.database.rows import changed
from orchestrator.errors import Conflict, NotFound
from orchestrator.events import repository as events
from orchestrator.runs.completion import end_if_complete, settle
from orchestrator.runs.repository import has_waiting_executions, message_rows
from orchestrator.runs.state import OPEN_JOBS, JobState, RunState
from orchestrator.wire.jobs import ClaimGranted, JobCase, JobExecution, JobMessage, LatencyCase, ProcessCase
from orchestrator.wire.plans import Plan

MAX_ATTEMPTS = 3
"""Claims of a job that a crash of the daemon ended, before the job is lost."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Refusal:
    """Why a claim is not granted."""

    state: str
    detail: str


def claim(database: Database, agent_id: str, job_id: int, session_id: str) -> ClaimGranted:
    """Let an agent's session start a job, and return which attempt that is.

    Raises Conflict, with the fact ``state`` (cancelled, done, paused, lost), where it must not; NotFound for another
    agent's job. The same session may ask again; another session that asks for a job in work tells that the former one
    crashed.
    """
    with database.write() as session:
        answer = _claim(session, agent_id, job_id, session_id)
    if isinstance(answer, ClaimGranted):
        return answer
    raise Conflict(answer.detail, remedy="Drop the job; it comes again if it is wanted.", state=answer.state)


def release(database: Database, agent_id: str, job_id: int, session_id: str) -> None:
    """Take back a job that a daemon stopped in good order: it waits again, and the attempt does not count.

    A job that is not in work by this session stays as it is: it was cancelled, or claimed by another session, or this
    is the second time of asking.
    """
    with database.write() as session:
        job = _own_job(session, agent_id, job_id)
        if changed(session, _in_work(job_id, session_id).values(**_put_back(JobState.WAITING))):
            events.note(session, "job-state", job.run_id, agent_id, job_id=job_id, state=JobState.WAITING)
            settle(session, [job_id])


def build_message(session: Session, job_id: int) -> JobMessage | None:
    """Return the job as it travels, with the executions that have no record yet; None where none is left."""
    job = session.get(Job, job_id)
    rows = message_rows(session, job_id)
    if job is None or not rows:
        return None
    plan = Plan.model_validate(session.get_one(Run, job.run_id).plan)
    cases: dict[int, JobCase] = {}
    executions: list[JobExecution] = []
    for execution, case, build_key in rows:
        executions.append(
            JobExecution(
                case_id=case.id,
                repetition=execution.repetition,
                purpose=execution.purpose,
                position=execution.position,
            )
        )
        if case.id not in cases:
            cases[case.id] = _message_case(case, build_key)
    return JobMessage(
        version=1,
        job_id=job_id,
        run_id=job.run_id,
        agent_id=job.agent_id,
        timeout_seconds=plan.timeout_seconds,
        output_limit_bytes=plan.output_limit_bytes,
        memory=plan.memory,
        energy_window_seconds=plan.energy.window_seconds if plan.energy is not None else None,
        conditions=plan.conditions,
        cases=list(cases.values()),
        executions=executions,
    )


def _message_case(case: Case, build_key: str) -> JobCase:
    columns: dict[str, object] = {
        "case_id": case.id,
        "build_key": build_key,
        **{name: getattr(case, name) for name in ("provider", "algorithm", "variant", "protocol", "operation")},
    }
    if case.protocol == "process":
        columns |= {"chunk_sha256": case.input_sha256, "chunk_bytes": case.message_bytes}
        return ProcessCase.model_validate(columns)
    timed = ("message_bytes", "associated_data_bytes", "fill", "key_fill", "key_setup", "timings", "min_timing_ms")
    return LatencyCase.model_validate(columns | {name: getattr(case, name) for name in timed})


def put_back_sent(session: Session, run_id: str) -> None:
    """Let the jobs of a run that were sent and not started wait again: their messages are refused at the claim."""
    sent = update(Job).where(Job.run_id == run_id, Job.state == JobState.SENT)
    changed(session, sent.values(state=JobState.WAITING, sent_at=None))


def cancel_open(session: Session, run_id: str) -> None:
    """Cancel every open job of a run at once; a start that is cut off so is no crash of the daemon."""
    running = update(Job).where(Job.run_id == run_id, Job.state == JobState.RUNNING)
    changed(session, running.values(**_put_back(JobState.CANCELLED)))
    others = update(Job).where(Job.run_id == run_id, Job.state.in_(OPEN_JOBS))
    changed(session, others.values(state=JobState.CANCELLED))


def reopen_cancelled(session: Session, run_id: str) -> None:
    """Let the cancelled jobs of a run that have executions without a record wait again; the others are done."""
    cancelled = list(session.scalars(select(Job.id).where(Job.run_id == run_id, Job.state == JobState.CANCELLED)))
    reopened = update(Job).where(Job.run_id == run_id, Job.state == JobState.CANCELLED)
    changed(session, reopened.values(state=JobState.WAITING, sent_at=None, finished_at=None))
    for job_id in cancelled:
        if not has_waiting_executions(session, job_id):
            done = update(Job).where(Job.id == job_id, Job.state == JobState.WAITING)
            changed(session, done.values(state=JobState.DONE, finished_at=now()))


def _claim(session: Session, agent_id: str, job_id: int, session_id: str) -> ClaimGranted | _Refusal:
    job = _own_job(session, agent_id, job_id)
    run = session.get_one(Run, job.run_id)
    refusal = _refusal(session, job, run)
    if refusal is not None:
        return refusal
    if job.state == JobState.RUNNING and job.session_id == session_id:
        return ClaimGranted(attempt=job.attempts)
    if job.attempts >= MAX_ATTEMPTS:
        return _lose(session, job)
    at = now()
    # The same session that the row was read in holds the write lock, so the state cannot have changed since.
    statement = update(Job).where(Job.id == job_id, Job.state == job.state)
    changed(
        session,
        statement.values(state=JobState.RUNNING, session_id=session_id, started_at=at, attempts=job.attempts + 1),
    )
    if run.started_at is None:
        run.started_at = at
    events.note(session, "job-state", run.id, agent_id, job_id=job_id, state=JobState.RUNNING)
    _log.info("job claimed", job_id=job_id, agent_id=agent_id, attempt=job.attempts + 1, before=job.state)
    return ClaimGranted(attempt=job.attempts + 1)


def _refusal(session: Session, job: Job, run: Run) -> _Refusal | None:
    if job.state not in OPEN_JOBS:
        return _Refusal(job.state, f"Job {job.id} is {job.state}. {job.reason}".strip())
    if run.state == RunState.PAUSED:
        if job.state == JobState.SENT:
            put_back_sent(session, run.id)
        return _Refusal("paused", f"Run {run.id} is paused; job {job.id} waits.")
    if run.state != RunState.RUNNING:
        return _Refusal("cancelled", f"Run {run.id} is {run.state}; job {job.id} is not wanted.")
    if not has_waiting_executions(session, job.id):
        settle(session, [job.id])
        return _Refusal("done", f"Every execution of job {job.id} has its record.")
    agent = session.get_one(Agent, job.agent_id)
    if agent.health == "quarantined":
        # A start that crashed keeps its session: it is given out again when the agent serves again.
        sent = update(Job).where(Job.id == job.id, Job.state == JobState.SENT)
        changed(session, sent.values(state=JobState.WAITING, sent_at=None))
        return _Refusal("paused", f"Agent {agent.name} is quarantined: {agent.health_reason}. Job {job.id} waits.")
    return None


def _lose(session: Session, job: Job) -> _Refusal:
    reason = f"The daemon crashed {job.attempts} times while it executed this job; allowed are {MAX_ATTEMPTS}."
    statement = update(Job).where(Job.id == job.id, Job.state == job.state)
    changed(session, statement.values(state=JobState.LOST, reason=reason, finished_at=now()))
    events.note(session, "job-state", job.run_id, job.agent_id, job_id=job.id, state=JobState.LOST, reason=reason)
    _log.error("job lost", job_id=job.id, agent_id=job.agent_id, attempts=job.attempts)
    end_if_complete(session, job.run_id)
    return _Refusal(JobState.LOST, reason)


def _own_job(session: Session, agent_id: str, job_id: int) -> Job:
    job = session.get(Job, job_id)
    if job is None or job.agent_id != agent_id:
        raise NotFound(f"This agent has no job {job_id}.", remedy="Drop it.", state="unknown")
    return job


def _in_work(job_id: int, session_id: str) -> Update:
    return update(Job).where(Job.id == job_id, Job.state == JobState.RUNNING, Job.session_id == session_id)


def _put_back(state: JobState) -> dict[str, object]:
    """Return the values of a job whose start ended in good order: it does not count as an attempt."""
    return {"state": state, "attempts": Job.attempts - 1, "session_id": None, "sent_at": None}
