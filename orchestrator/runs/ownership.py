"""Right to change or delete a run."""

from orchestrator.database.models import Run
from orchestrator.errors import Forbidden
from orchestrator.security.callers import Caller


def require_own(caller: Caller, run: Run, operation: str) -> None:
    """Raise Forbidden where the caller is no admin and another token submitted the run.

    operation: imperative for the remedy: ``Delete``.
    """
    if caller.role != "admin" and (not caller.label or caller.label != run.submitted_by):
        raise Forbidden(
            f"Run {run.id} was submitted by {run.submitted_by or 'an unknown token'}.",
            remedy=f"{operation} it with the token that submitted it, or with an admin's.",
        )
