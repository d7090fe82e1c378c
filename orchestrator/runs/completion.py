"""What follows when jobs move: jobs without waiting executions are done, runs without open jobs have ended."""

from collections.abc import Iterable

import structlog
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import Execution, Job, Run, now
from orchestrator.database.rows import changed
from orchestrator.events import repository as events
from orchestrator.runs.state import OPEN_JOBS, JobState, RunStep, after, sources, verdict

_log = structlog.get_logger(__name__)


def settle(session: Session, job_ids: Iterable[int]) -> None:
    """Mark the jobs that are complete as done and the runs that are complete as ended, and tell listeners.

    Call it in the write transaction that stored records of these jobs. Calling it again changes nothing.
    """
    ids = sorted(set(job_ids))
    run_ids = list(session.scalars(select(Job.run_id).where(Job.id.in_(ids)).distinct()))
    waiting = select(Execution.job_id).where(Execution.job_id.in_(ids), Execution.state == "waiting").distinct()
    incomplete = set(session.scalars(waiting))
    for job_id in ids:
        if job_id not in incomplete:
            _finish_job(session, job_id)
    for run_id in run_ids:
        events.note_progress(session, run_id, now())
        end_if_complete(session, run_id)


def end_if_complete(session: Session, run_id: str) -> None:
    """End a laid-out run that has no open job left, and no case that may get more repetitions."""
    run = session.get(Run, run_id, populate_existing=True)
    if run is None or run.laid_out_at is None or run.rounds_open or run.state not in sources(RunStep.FINISH):
        return
    states = session.execute(select(Job.state, func.count()).where(Job.run_id == run_id).group_by(Job.state))
    counts: dict[str, int] = {row[0]: row[1] for row in states}
    if any(counts.get(state) for state in OPEN_JOBS):
        return
    step, reason = verdict(counts.get(JobState.LOST, 0), counts.get(JobState.DONE, 0))
    move_run(session, run_id, step, reason)


def move_run(session: Session, run_id: str, step: RunStep, reason: str = "") -> bool:
    """Take a run through a step and tell listeners; return False where its state does not allow it (any more)."""
    run = session.get(Run, run_id, populate_existing=True)
    if run is None or run.state not in sources(step):
        return False
    target = after(run.state, step, laid_out=run.laid_out_at is not None)
    ended_at = now() if step in (RunStep.FINISH, RunStep.FAIL, RunStep.CANCEL) else None
    statement = update(Run).where(Run.id == run_id, Run.state == run.state)
    if not changed(session, statement.values(state=target, reason=reason, finished_at=ended_at)):
        return False
    events.note(session, "run-state", run_id, state=target, reason=reason)
    _log.info("run moved", run_id=run_id, state=str(target), before=run.state, reason=reason)
    return True


def _finish_job(session: Session, job_id: int) -> None:
    # A cancelled job whose last records arrive is complete too: there is nothing left to resume.
    unfinished = (*OPEN_JOBS, JobState.CANCELLED, JobState.LOST)
    statement = update(Job).where(Job.id == job_id, Job.state.in_(unfinished))
    if changed(session, statement.values(state=JobState.DONE, reason="", finished_at=now())):
        job = session.get_one(Job, job_id, populate_existing=True)
        events.note(session, "job-state", job.run_id, job.agent_id, job_id=job_id, state=JobState.DONE)
