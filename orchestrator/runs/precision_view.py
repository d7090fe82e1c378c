"""How far a run is with the precision that its plan asks for."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Case, CaseSummary, Run
from orchestrator.runs.schemas import PrecisionShown
from orchestrator.wire.plans import Precision

NOT_REACHED = ("maximum", "budget")


def precision_shown(session: Session, run: Run) -> PrecisionShown | None:
    """Return how many cases are precise enough, go on, or stopped at which limit; None where the plan asks for none."""
    if run.plan.get("precision") is None:
        return None
    asked = Precision.model_validate(run.plan["precision"])
    rows = session.execute(select(Case.stopped, func.count()).where(Case.run_id == run.id).group_by(Case.stopped))
    counts = {row[0] or "open": row[1] for row in rows}
    widest = (
        select(func.max(CaseSummary.relative_interval))
        .join(Case, Case.id == CaseSummary.case_id)
        .where(Case.run_id == run.id, Case.stopped.in_(NOT_REACHED))
    )
    names = ("open", "reached", "maximum", "budget", "failing", "lost")
    return PrecisionShown(
        relative_interval=asked.relative_interval,
        **{name: counts.get(name, 0) for name in names},
        widest=session.scalar(widest),
    )
