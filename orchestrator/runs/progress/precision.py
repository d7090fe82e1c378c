"""Precision of a run's cases, where its plan has a precision."""

from collections.abc import Mapping

from sqlalchemy.orm import Session

from orchestrator.database.models import Run
from orchestrator.runs.progress import repository
from orchestrator.runs.schemas import PrecisionSummary
from orchestrator.shared.units import format_duration_ns, format_half_width
from orchestrator.wire.plans import Precision

_LIMITS = ("maximum", "budget")
"""Reasons that stop a case before it is precise enough, although its interval is known."""


def precision_of(run: Run) -> Precision | None:
    """Return the precision of a run's plan; None where it has none."""
    data = run.plan.get("precision")
    return None if data is None else Precision.model_validate(data)


def precision_summary(session: Session, run: Run) -> PrecisionSummary | None:
    """Return the numbers of cases that are precise, open or stopped by a limit; None without a precision."""
    precision = precision_of(run)
    if precision is None:
        return None
    counts = repository.cases_by_stop_reason(session, run.id)
    widest = repository.widest_interval(session, run.id, _LIMITS)
    names = ("open", "reached", "maximum", "budget", "failing", "lost")
    return PrecisionSummary(
        relative_interval=precision.relative_interval,
        **{name: counts.get(name, 0) for name in names},
        widest=widest,
        sentence=precision_sentence(precision, counts, widest),
    )


def precision_sentence(precision: Precision, counts: Mapping[str, int], widest: float | None) -> str:
    """Return a sentence on the precision of a run.

    counts: number of cases by the reason that they stopped; ``open`` are those that may continue.
    """
    target = format_half_width(precision.relative_interval)
    total = sum(counts.values())
    if not total:
        return f"Intervals of {target} are required; the cases are not laid out yet."
    reached = counts.get("reached", 0)
    noun, verb = ("case", "is") if total == 1 else ("cases", "is" if reached == 1 else "are")
    texts = {
        "open": "may get more repetitions",
        "maximum": f"stopped at {precision.max_repetitions} repetitions",
        "budget": f"stopped after {format_duration_ns(precision.seconds_per_case * 1e9)}",
        "failing": "never succeeded",
        "lost": "stopped with a lost job",
    }
    parts = [f"{reached} of {total} {noun} {verb} precise to {target}"]
    parts += [f"{counts[name]} {text}" for name, text in texts.items() if counts.get(name)]
    if widest is not None:
        parts.append(f"the widest interval of those that stopped early is {format_half_width(widest)}")
    return "; ".join(parts) + "."
