"""Stopping rule: which cases are precise enough, and how many more blocks the others get.

The rule uses only the width of each case's interval and its cost, never a comparison: stopping at the first difference
finds differences that do not exist.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from orchestrator.statistics.median import MIN_FOR_INTERVAL

Stop = Literal["reached", "maximum", "budget", "failing", "lost"]
"""``failing``: no execution is ok. ``lost``: a job of its agent was lost, and the run fails for that."""


class StoppingRule(Protocol):
    """Condition at which a case stops: ``wire.plans.Precision`` of a plan."""

    @property
    def relative_interval(self) -> float:
        """Half the width of the median's 95 % interval / the median."""

    @property
    def max_repetitions(self) -> int:
        """Repetitions after which a case stops."""

    @property
    def seconds_per_case(self) -> float:
        """Time of all repetitions after which a case stops."""


MIN_GROWTH = 0.25
"""Minimum size of a round, as a share of the repetitions so far. Between two rounds the agent waits for the scheduler,
and frequent checks find an interval narrow by chance."""


@dataclass(frozen=True, slots=True)
class CaseSoFar:
    """Timed executions of a case that may get more repetitions."""

    case_id: int
    number: int
    repetitions: int
    """Repetitions that have ended, ok or not; equal for all continued cases of an agent."""
    ok: int
    """Repetitions with the state ok."""
    relative_interval: float | None
    """Half the width of the headline's 95 % interval / its median; None below 6 ok executions."""
    process_seconds: float
    """Time of all repetitions together."""


def judge(case: CaseSoFar, precision: StoppingRule) -> Stop | None:
    """Return why a case stops, or None if it continues."""
    if case.ok == 0:
        return "failing"
    if case.relative_interval is not None and case.relative_interval <= precision.relative_interval:
        return "reached"
    if case.repetitions >= precision.max_repetitions:
        return "maximum"
    return "budget" if case.process_seconds >= precision.seconds_per_case else None


def round_size(cases: Iterable[CaseSoFar], precision: StoppingRule) -> int:
    """Return how many more blocks all of these cases get: the smallest estimated need, at least 1.

    All cases get the same number, so that executions with the same repetition number are executed together and paired
    comparisons remain valid. The number exceeds neither the repetitions so far nor the plan's maximum.
    """
    open_cases = list(cases)
    so_far = max(case.repetitions for case in open_cases)
    size = max(
        min(missing_repetitions(case.repetitions, case.ok, case.relative_interval, precision) for case in open_cases),
        math.ceil(MIN_GROWTH * so_far),
    )
    max_size = max(so_far, MIN_FOR_INTERVAL - so_far)
    return max(1, min(size, max_size, precision.max_repetitions - so_far))


def missing_repetitions(repetitions: int, ok: int, relative_interval: float | None, precision: StoppingRule) -> int:
    """Return how many more repetitions a case probably needs; not positive if its interval is narrow enough."""
    if relative_interval is None:
        return max(1, MIN_FOR_INTERVAL - ok)
    # The width of an interval decreases with the square root of the repetitions.
    required = repetitions * (relative_interval / precision.relative_interval) ** 2
    return math.ceil(required) - repetitions
