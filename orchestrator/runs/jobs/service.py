"""Jobs after dispatch: claim and release by the agent's daemon, completion by its records.

Every change is guarded by the state that it expects. A refused claim raises after its transaction, so that a change
that it made (a lost job) is kept.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import structlog
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, Job, Run, now
from orchestrator.runs.jobs import repository
from orchestrator.runs.repository import lock_runs
from orchestrator.runs.state import OPEN_JOBS, JobState, RunState
from orchestrator.runs.transitions import end_if_complete
from orchestrator.service.events import repository as events
from orchestrator.shared.errors import Conflict, NotFound
from orchestrator.wire.jobs import ClaimGranted

MAX_FRUITLESS_ATTEMPTS = 3
"""Starts of a job in a row that end with a crash of the daemon and without a new record, before the job is lost."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Refusal:
    """Why a claim is not granted."""

    state: str
    detail: str


def claim(database: Database, agent_id: str, job_id: int, session_id: str) -> ClaimGranted:
    """Start a job for a session of its agent's daemon; return the number of the attempt.

    A session may repeat its claim. A claim of a running job by another session means that the earlier session crashed.
    Crashes count until a record arrives: a job that advances is not lost, however often the daemon is killed.
    Raises Conflict, with the fact ``state`` (cancelled, done, paused, lost), where the job must not start, and NotFound
    for a job of another agent.
    """
    with database.write() as session:
        lock_runs(session, [_own_job(session, agent_id, job_id).run_id])
        answer = _claim(session, agent_id, job_id, session_id)
    if isinstance(answer, ClaimGranted):
        return answer
    raise Conflict(answer.detail, remedy="Drop the job; it is sent again if it is still needed.", state=answer.state)


def release(database: Database, agent_id: str, job_id: int, session_id: str) -> None:
    """Requeue a job that the daemon stopped without a crash; the attempt does not count.

    A job that this session does not run stays as it is: it was cancelled, claimed by another session, or released
    before.
    """
    with database.write() as session:
        job = _own_job(session, agent_id, job_id)
        lock_runs(session, [job.run_id])
        if repository.requeue_running(session, job_id, session_id):
            events.note(session, "job-state", job.run_id, agent_id, job_id=job_id, state=JobState.WAITING)
            settle(session, [job_id])


def settle(session: Session, job_ids: Iterable[int]) -> None:
    """Set complete jobs to done, end their complete runs, and note the progress of the runs for listeners.

    Call it in the write transaction that stored records of these jobs. Repeating it changes nothing.
    """
    ids = sorted(set(job_ids))
    run_ids = repository.runs_of_jobs(session, ids)
    lock_runs(session, run_ids)
    incomplete = repository.incomplete_jobs(session, ids)
    for job_id in ids:
        if job_id not in incomplete and repository.finish(session, job_id, now()):
            job = session.get_one(Job, job_id, populate_existing=True)
            events.note(session, "job-state", job.run_id, job.agent_id, job_id=job_id, state=JobState.DONE)
    for run_id in run_ids:
        events.note_progress(session, run_id, now())
        end_if_complete(session, run_id)


def _claim(session: Session, agent_id: str, job_id: int, session_id: str) -> ClaimGranted | _Refusal:
    job = _own_job(session, agent_id, job_id)
    run = session.get_one(Run, job.run_id, populate_existing=True)
    refusal = _refusal(session, job, run)
    if refusal is not None:
        return refusal
    if job.state == JobState.RUNNING and job.session_id == session_id:
        claim_id = repository.claim_of_session(session, job_id, session_id)
        recorded_now = repository.recorded_positions(session, job_id)
        return ClaimGranted(attempt=job.attempts, claim_id=claim_id, recorded=recorded_now)
    recorded = repository.recorded_positions(session, job_id)
    fruitless = _fruitless_attempts(job, len(recorded))
    if fruitless >= MAX_FRUITLESS_ATTEMPTS:
        return _lose(session, job, fruitless)
    at, attempt = now(), job.attempts + 1
    if not repository.start(session, job, repository.JobStart(session_id, at, len(recorded), fruitless)):
        return _changed_meanwhile(job)
    if run.started_at is None:
        run.started_at = at
    repository.freeze_facts(session, job, at)
    events.note(session, "job-state", run.id, agent_id, job_id=job_id, state=JobState.RUNNING)
    _log.info("job claimed", job_id=job_id, agent_id=agent_id, attempt=attempt, before=job.state)
    claim_id = repository.add_claim(session, job, session_id, attempt)
    return ClaimGranted(attempt=attempt, claim_id=claim_id, recorded=recorded)


def _refusal(session: Session, job: Job, run: Run) -> _Refusal | None:
    if job.state not in OPEN_JOBS:
        return _Refusal(job.state, f"Job {job.id} is {job.state}. {job.reason}".strip())
    if run.state == RunState.PAUSED:
        if job.state == JobState.SENT:
            repository.requeue_sent(session, run.id)
        return _Refusal("paused", f"Run {run.id} is paused; job {job.id} waits.")
    if run.state != RunState.RUNNING:
        return _Refusal("cancelled", f"Run {run.id} is {run.state}; job {job.id} is no longer needed.")
    if not repository.is_incomplete(session, job.id):
        settle(session, [job.id])
        return _Refusal("done", f"Every execution of job {job.id} has a record.")
    agent = session.get_one(Agent, job.agent_id)
    if agent.health == "quarantined":
        # A running job keeps the session that crashed; it is sent again when the agent serves again.
        repository.requeue_sent_job(session, job.id)
        return _Refusal("paused", f"Agent {agent.name} is quarantined: {agent.health_reason}. Job {job.id} waits.")
    return None


def _fruitless_attempts(job: Job, recorded: int) -> int:
    """Return the attempts in a row without a new record, including the crash that a claim of a running job shows."""
    if recorded > job.records_before:
        return 0
    return job.fruitless_attempts + (job.state == JobState.RUNNING)


def _lose(session: Session, job: Job, crashes: int) -> _Refusal:
    reason = f"The daemon crashed {crashes} times in a row during this job without a new record."
    if not repository.lose(session, job, reason, now()):
        return _changed_meanwhile(job)
    events.note(session, "job-state", job.run_id, job.agent_id, job_id=job.id, state=JobState.LOST, reason=reason)
    _log.error("job lost", job_id=job.id, agent_id=job.agent_id, attempts=job.attempts)
    end_if_complete(session, job.run_id)
    return _Refusal(JobState.LOST, reason)


def _changed_meanwhile(job: Job) -> _Refusal:
    return _Refusal("paused", f"Job {job.id} was claimed or cancelled during this request.")


def _own_job(session: Session, agent_id: str, job_id: int) -> Job:
    job = session.get(Job, job_id, populate_existing=True)
    if job is None or job.agent_id != agent_id:
        raise NotFound(f"This agent has no job {job_id}.", remedy="Drop the job.", state="unknown")
    return job
