"""Stop when sure: which cases are precise enough, and how many more blocks the others get. Pure.

Looks at the width of each case's own interval, at its cost, and at nothing else: never at a comparison, because who
stops at the first difference finds differences that are none.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from orchestrator.statistics.median import FEWEST_FOR_INTERVAL
from orchestrator.wire.plans import Precision

Stop = Literal["reached", "maximum", "budget", "failing", "lost"]
"""``failing``: no execution is ok. ``lost``: a job of its agent was lost, and the run fails for that."""

LEAST_GROWTH = 0.25
"""Of the repetitions so far. Between two rounds the agent waits for the scheduler, and who looks too often finds an
interval narrow by chance."""


@dataclass(frozen=True, slots=True)
class CaseSoFar:
    """What is known of a case that may get more repetitions; of its timed executions alone."""

    case_id: int
    number: int
    repetitions: int
    """That ended, ok or not. The same for all cases of an agent that go on."""
    ok: int
    relative_interval: float | None
    """Half the width of the headline's 95 % interval / its median; None below 6 ok executions."""
    process_seconds: float
    """That they took together."""


def judge(case: CaseSoFar, precision: Precision) -> Stop | None:
    """Return why a case stops; None where it goes on."""
    if case.ok == 0:
        return "failing"
    if case.relative_interval is not None and case.relative_interval <= precision.relative_interval:
        return "reached"
    if case.repetitions >= precision.max_repetitions:
        return "maximum"
    return "budget" if case.process_seconds >= precision.seconds_per_case else None


def round_size(cases: Iterable[CaseSoFar], precision: Precision) -> int:
    """Return how many more blocks all of these cases get: what the one that lacks least seems to lack, 1 at least.

    All get the same number, so that executions with one repetition number were always made together and comparisons
    within blocks stay what they are. Never more than the repetitions so far, nor beyond the plan's maximum.
    """
    open_cases = list(cases)
    so_far = max(case.repetitions for case in open_cases)
    wanted = max(min(_lacking(case, precision) for case in open_cases), math.ceil(LEAST_GROWTH * so_far))
    most = max(so_far, FEWEST_FOR_INTERVAL - so_far)
    return max(1, min(wanted, most, precision.max_repetitions - so_far))


def _lacking(case: CaseSoFar, precision: Precision) -> int:
    if case.relative_interval is None:
        return max(1, FEWEST_FOR_INTERVAL - case.ok)
    # An interval narrows with the square root of what it rests on.
    wanted = case.repetitions * (case.relative_interval / precision.relative_interval) ** 2
    return math.ceil(wanted) - case.repetitions
