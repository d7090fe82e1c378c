"""Transitions of runs: guarded changes of a run's state, with an event for each."""

import structlog
from sqlalchemy.orm import Session

from orchestrator.database.models import Run, now
from orchestrator.runs import repository
from orchestrator.runs.parts.repository import has_laid_out_part
from orchestrator.runs.state import JobState, RunStep, after, sources, verdict
from orchestrator.service.events import repository as events

_log = structlog.get_logger(__name__)


def move_run(session: Session, run_id: str, step: RunStep, reason: str = "") -> bool:
    """Take a run through a step and note the event; return False where the run's state does not allow the step."""
    run = session.get(Run, run_id, populate_existing=True)
    if run is None or run.state not in sources(step):
        return False
    laid_out = run.laid_out_at is not None or has_laid_out_part(session, run_id)
    target = after(run.state, step, laid_out=laid_out)
    ended_at = now() if step in (RunStep.FINISH, RunStep.FAIL, RunStep.CANCEL) else None
    before = run.state
    if not repository.change_state(session, run_id, before, state=target, reason=reason, finished_at=ended_at):
        return False
    events.note(session, "run-state", run_id, state=target, reason=reason)
    _log.info("run moved", run_id=run_id, state=str(target), before=before, reason=reason)
    return True


def end_if_complete(session: Session, run_id: str) -> None:
    """End a laid-out run that has no open job, and no case that may get more repetitions."""
    run = session.get(Run, run_id, populate_existing=True)
    if run is None or run.laid_out_at is None or run.rounds_open or run.state not in sources(RunStep.FINISH):
        return
    if repository.has_open_job(session, run_id):
        return
    jobs = repository.jobs_by_state(session, run_id)
    step, reason = verdict(jobs.get(JobState.LOST, 0), jobs.get(JobState.DONE, 0))
    move_run(session, run_id, step, reason)
