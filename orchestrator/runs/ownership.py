"""Right to change, stop or delete a run."""

from sqlalchemy.orm import Session

from orchestrator.database.models import Run
from orchestrator.runs import repository
from orchestrator.service.security.callers import Caller


def lock_own(session: Session, caller: Caller, run_id: str, operation: str) -> Run:
    """Return a run, locked until the end of the transaction.

    Raises NotFound; Forbidden where the caller is no admin and another token submitted the run.
    operation: imperative for the remedy: ``Delete``.
    """
    repository.lock_runs(session, [run_id])
    run = repository.require_run(session, run_id)
    caller.require_own(
        run.owner_id, f"Run {run.id} was submitted by {run.submitted_by or 'an unknown token'}", operation
    )
    return run
