"""What a plan will show on an agent, before anything is executed: from the spread of single executions there. Pure."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.runs.planning.planner import PlannedCase
from orchestrator.statistics.power import (
    detectable_difference,
    expected_relative_interval,
    repetitions_for_difference,
    repetitions_for_interval,
)
from orchestrator.wire.base import NOOP
from orchestrator.wire.plans import Plan

DIFFERENCES = (0.01, 0.02, 0.05)
"""For which a preview says how many repetitions find them."""

_PAIR_TO_SINGLE = 1 / (0.6745 * math.sqrt(2))
"""From the median distance of two executions to the standard deviation of one: the median of |x| is 0.6745 standard
deviations of a normal x, and the difference of two is spread by the square root of 2 more."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Robust standard deviation of ln(time) of single executions on an agent, as its noise floor tells."""

    single: float | None
    reason: str = ""
    """Why it is None."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a plan will show on one agent; None where the agent's spread is not known."""

    spread: Spread
    repetitions: int | None
    """Of each case; with a precision, as many as it will take."""
    relative_interval: float | None
    """Half the width of the median's 95 % interval, as a share of the median; None also below 6 repetitions."""
    inputs: int
    """Of the candidate that has fewest: over them a comparison averages."""
    detectable_difference: float | None
    """Relative difference of two candidates that is found in 90 % of cases."""
    repetitions_for_difference: Mapping[float, int | None]
    """Relative difference → repetitions that find it in 90 % of cases."""


def spread_of(detail: Mapping[str, Any] | None) -> Spread:
    """Return the spread that the latest noise floor of an agent tells; without one, why there is none."""
    if detail is None:
        return Spread(None, "This agent has no noise floor yet: its daemon measures one when it starts.")
    single, pairs = (_share(detail.get(name)) for name in ("single_execution_spread", "median_of_single_pairs"))
    if single is None and pairs is not None:
        # Of a noise floor that was measured before daemons told the spread itself.
        single = math.log1p(pairs) * _PAIR_TO_SINGLE
    if single is not None:
        return Spread(single)
    return Spread(None, "The noise floor of this agent does not tell how far single executions lie apart.")


def expect(plan: Plan, spread: Spread, cases: Iterable[PlannedCase]) -> Expectation:
    """Return what the plan will show on an agent with this spread and these cases."""
    inputs = _fewest_inputs(cases)
    repetitions = expected_repetitions(plan, spread)
    if spread.single is None or repetitions is None:
        nothing = dict.fromkeys(DIFFERENCES)
        return Expectation(spread, repetitions, None, inputs, None, nothing)
    return Expectation(
        spread=spread,
        repetitions=repetitions,
        relative_interval=expected_relative_interval(spread.single, repetitions),
        inputs=inputs,
        detectable_difference=detectable_difference(spread.single, repetitions, inputs),
        repetitions_for_difference={
            difference: repetitions_for_difference(spread.single, difference, inputs) for difference in DIFFERENCES
        },
    )


def expected_repetitions(plan: Plan, spread: Spread) -> int | None:
    """Return how often each case will be timed, budgets left aside; None where that depends on an unknown spread."""
    asked = plan.precision
    if asked is None:
        return plan.repetitions
    if spread.single is None:
        return None
    needed = repetitions_for_interval(spread.single, asked.relative_interval)
    if needed is None:
        return asked.max_repetitions
    return min(max(needed, plan.repetitions), asked.max_repetitions)


def _fewest_inputs(cases: Iterable[PlannedCase]) -> int:
    """Return how many inputs the candidate with fewest has; noop is none, and 1 stands for no candidate."""
    candidates = Counter(
        (case.build, case.implementation, type(case.input), case.copy)
        for case in cases
        if case.implementation.algorithm != NOOP
    )
    return min(candidates.values(), default=1)


def _share(value: object) -> float | None:
    """Return a share that a daemon told; None where it is none."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) and value >= 0 else None
