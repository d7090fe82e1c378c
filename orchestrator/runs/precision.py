"""How far a run is with the precision that its plan asks for."""

from collections.abc import Mapping

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Case, CaseStatistics, Run
from orchestrator.runs.schemas import PrecisionSummary
from orchestrator.units import format_duration_ns, format_half_width
from orchestrator.wire.plans import Precision

STOPPED_EARLY = ("maximum", "budget")
"""Reasons to stop a case that is not precise enough, but has a width to tell of."""


def asked_precision(run: Run) -> Precision | None:
    """Return the precision that a run's plan asks for."""
    asked = run.plan.get("precision")
    return None if asked is None else Precision.model_validate(asked)


def precision_shown(session: Session, run: Run) -> PrecisionSummary | None:
    """Return how many cases are precise enough, go on, or stopped at which limit; None where the plan asks for none."""
    asked = asked_precision(run)
    if asked is None:
        return None
    rows = session.execute(
        select(Case.stop_reason, func.count()).where(Case.run_id == run.id).group_by(Case.stop_reason)
    )
    counts = {row[0] or "open": row[1] for row in rows}
    widest = session.scalar(
        select(func.max(CaseStatistics.relative_interval))
        .join(Case, Case.id == CaseStatistics.case_id)
        .where(Case.run_id == run.id, Case.stop_reason.in_(STOPPED_EARLY))
    )
    names = ("open", "reached", "maximum", "budget", "failing", "lost")
    return PrecisionSummary(
        relative_interval=asked.relative_interval,
        **{name: counts.get(name, 0) for name in names},
        widest=widest,
        sentence=precision_sentence(asked, counts, widest),
    )


def precision_sentence(asked: Precision, counts: Mapping[str, int], widest: float | None) -> str:
    """Return the precision of a run in words.

    counts: number of cases by the reason why they stopped; ``open`` are those that may go on.
    """
    wanted = format_half_width(asked.relative_interval)
    total = sum(counts.values())
    if not total:
        return f"Asked for are intervals of {wanted}; the cases are not laid out yet."
    reached = counts.get("reached", 0)
    noun, verb = ("case", "is") if total == 1 else ("cases", "is" if reached == 1 else "are")
    words = {
        "open": "may get more repetitions",
        "maximum": f"stopped at {asked.max_repetitions} repetitions",
        "budget": f"stopped after {format_duration_ns(asked.seconds_per_case * 1e9)}",
        "failing": "never succeeded",
        "lost": "stopped with a lost job",
    }
    parts = [f"{reached} of {total} {noun} {verb} precise to {wanted}"]
    parts += [f"{counts[name]} {text}" for name, text in words.items() if counts.get(name)]
    if widest is not None:
        parts.append(f"the widest interval of those that stopped early is {format_half_width(widest)}")
    return "; ".join(parts) + "."
