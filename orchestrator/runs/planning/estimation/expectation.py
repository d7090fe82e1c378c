"""Expected precision of a plan on an agent, from the dispersion of single executions there. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.runs.planning.expansion import PlannedCase
from orchestrator.runs.schemas import DetectableDifference, ExpectationSummary
from orchestrator.statistics.power import (
    detectable_difference,
    expected_relative_interval,
    repetitions_for_difference,
    repetitions_for_interval,
)
from orchestrator.wire.base import NOOP
from orchestrator.wire.plans import Plan

DIFFERENCES = (0.01, 0.02, 0.05)
"""Relative differences for which a preview lists the repetitions that detect them."""

_PAIR_TO_SINGLE = 1 / (0.6745 * math.sqrt(2))
"""Converts the median distance of two executions to the standard deviation of one. The median of |x| is 0.6745 standard
deviations of a normal x; the difference of two has a standard deviation larger by the square root of 2."""


@dataclass(frozen=True, slots=True)
class Dispersion:
    """Robust standard deviation of ln(time) of single executions on an agent, from its noise floor."""

    single: float | None
    reason: str = ""
    """Why it is None."""


def dispersion_of(detail: Mapping[str, Any] | None) -> Dispersion:
    """Return the dispersion in the detail of an agent's latest noise floor, or the reason that there is none."""
    if detail is None:
        return Dispersion(None, "This agent has no noise floor yet. Its daemon measures one when it starts.")
    single, pairs = (_share(detail.get(name)) for name in ("single_execution_spread", "median_of_single_pairs"))
    if single is None and pairs is not None:
        # Noise floors of earlier daemons have the distance of pairs only.
        single = math.log1p(pairs) * _PAIR_TO_SINGLE
    if single is not None:
        return Dispersion(single)
    return Dispersion(None, "The noise floor of this agent lacks the dispersion of single executions.")


def expect(
    plan: Plan, dispersion: Dispersion, cases: Iterable[PlannedCase], cases_at_budget: int
) -> ExpectationSummary:
    """Return the expected precision of these cases on an agent with this dispersion."""
    inputs, repetitions, single = _fewest_inputs(cases), expected_repetitions(plan, dispersion), dispersion.single
    interval, detectable = None, None
    needed: Mapping[float, int | None] = dict.fromkeys(DIFFERENCES)
    if single is not None and repetitions is not None:
        interval = expected_relative_interval(single, repetitions)
        detectable = detectable_difference(single, repetitions, inputs)
        needed = {one: repetitions_for_difference(single, one, inputs) for one in DIFFERENCES}
    return ExpectationSummary(
        single_execution_spread=single,
        expected_repetitions=repetitions,
        expected_relative_interval=interval,
        inputs=inputs,
        detectable_difference=detectable,
        repetitions_for_difference=[
            DetectableDifference(difference=difference, repetitions=count) for difference, count in needed.items()
        ],
        cases_at_budget=cases_at_budget,
        reason=dispersion.reason,
    )


def expected_repetitions(plan: Plan, dispersion: Dispersion) -> int | None:
    """Return the timed executions of each case, without regard to budgets; None where they depend on the unknown."""
    precision = plan.precision
    if precision is None:
        return plan.repetitions
    if dispersion.single is None:
        return None
    needed = repetitions_for_interval(dispersion.single, precision.relative_interval)
    if needed is None:
        return precision.max_repetitions
    return min(max(needed, plan.repetitions), precision.max_repetitions)


def _fewest_inputs(cases: Iterable[PlannedCase]) -> int:
    """Return the inputs of the candidate that has the fewest, 1 without candidates; noop is not a candidate."""
    candidates = Counter(
        (case.build, case.implementation, type(case.input), case.copy)
        for case in cases
        if case.implementation.algorithm != NOOP
    )
    return min(candidates.values(), default=1)


def _share(value: object) -> float | None:
    """Return a reported value if it is a finite number of at least 0, otherwise None."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) and value >= 0 else None
