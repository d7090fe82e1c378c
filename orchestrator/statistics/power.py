"""What so many repetitions can show, before any of them is executed; and how many it takes. Free of numpy.

Everything starts from the spread of single executions: the robust standard deviation of ln(time), 1.4826 times the
median absolute deviation, dimensionless (0.02 is 2 %). Nothing here looks at a difference that was measured: a plan
that stops when an interval is narrow enough stays honest, one that stops when something is significant does not.
"""

import math
from collections.abc import Callable
from statistics import NormalDist

from orchestrator.errors import InvalidRequest
from orchestrator.statistics.median import CONFIDENCE, FEWEST_FOR_INTERVAL, interval_rank
from orchestrator.statistics.student import student_quantile

POWER = 0.9
"""Of the comparisons in which there is a difference of the size named here, so many find it."""
HEAVY_TAILS = 1.25
"""Times what a normal distribution of ln(time) would give.

The spread is robust and does not see the 3 % of executions that are disturbed by a factor of 3 to 10. In 20 000
simulated cases with such noise and 10 to 100 repetitions the median's interval came out at most 1.25 (10: 1.35) times
the normal one in four of five cases, and at most 1.3 to 1.6 times in nine of ten.
"""
MOST_REPETITIONS = 1_000_000
FLOOR_BLOCKS = 40
"""Of the comparison that an agent's noise floor is told of, with one input: as many as a plan has, or somewhat more."""
FEWEST_FOR_DIFFERENCE = 12
"""Of one input: with fewer blocks a single one that is disturbed the wrong way hides any difference from the ranks."""


def expected_relative_interval(spread: float, repetitions: int) -> float | None:
    """Return the half-width to expect of the median's 95 % interval, as a share of the median; None below 6.

    spread: robust standard deviation of ln(time) of single executions, 0 or more. Four of five cases come out at
    least as narrow. Raises InvalidRequest for a spread that is negative or not finite.
    Source: the interval of median.median_interval, its limits at the expected normal order statistics (Blom,
    Statistical Estimates and Transformed Beta-Variables, 1958: rank i of n lies at (i - 3/8) / (n + 1/4)).
    """
    _check(spread)
    rank = interval_rank(repetitions, CONFIDENCE)
    if rank == 0:
        return None
    upper = NormalDist().inv_cdf((repetitions - rank + 0.625) / (repetitions + 0.25))
    return math.expm1(HEAVY_TAILS * spread * upper)


def repetitions_for_interval(spread: float, relative_interval: float) -> int | None:
    """Return how many repetitions make the median's interval at most ± relative_interval; None beyond a million.

    relative_interval: half-width as a share of the median, above 0 (0.01 is ± 1 %). One repetition fewer does not
    suffice. Raises InvalidRequest for values out of range.
    """
    _check(spread)
    _check_positive(relative_interval, "a relative interval")
    return _fewest(lambda n: expected_relative_interval(spread, n), relative_interval)


def detectable_difference(spread: float, repetitions: int, inputs: int = 1) -> float | None:
    """Return the relative difference of two candidates that a paired comparison finds in 90 % of cases; None below 6.

    spread: as above. repetitions: blocks in which both were executed. inputs: over how many inputs each block's
    log-ratio is averaged, 1 or more; the noise of their executions is taken as independent. Before Holm's
    correction, and apart from the agent's noise floor, below which every difference is called a tie. Simulated with
    and without 3 % of executions 3 to 10 times as long, 1 to 24 inputs and 6 to 40 blocks, 86 to 99 % of them were
    found; but with such executions only 80 % by 6 blocks of 24 inputs, and 74 to 77 % by 6 or 10 blocks of one input.
    Raises InvalidRequest for values out of range.
    Source: power of the paired t test, normal shift (Cohen, Statistical Power Analysis, 2nd ed., 1988, section 2.3),
    with quantiles of t in both places, which is a little more than the noncentral distribution asks for.
    """
    _check(spread)
    _check_positive(inputs, "a number of inputs")
    if repetitions < FEWEST_FOR_INTERVAL:
        return None
    degrees = repetitions - 1
    quantiles = student_quantile(0.5 + CONFIDENCE / 2, degrees) + student_quantile(POWER, degrees)
    return math.expm1(HEAVY_TAILS * quantiles * spread * math.sqrt(2 / (inputs * repetitions)))


def repetitions_for_difference(spread: float, difference: float, inputs: int = 1) -> int | None:
    """Return how many repetitions find a relative difference (0.02 is 2 %) in 90 % of cases; None beyond a million.

    spread, inputs: as in detectable_difference. difference: above 0. Of one input at least 12, so that a disturbed
    block does not hide the difference. Raises InvalidRequest for values out of range.
    """
    _check(spread)
    _check_positive(difference, "a difference")
    found = _fewest(lambda n: detectable_difference(spread, n, inputs), difference)
    return max(found, FEWEST_FOR_DIFFERENCE) if found is not None and inputs == 1 else found


def floor_of_comparison(noise_floor: float, blocks: int, inputs: int) -> float:
    """Return the relative difference that the same shows against itself over so many blocks and inputs.

    noise_floor: the agent's, over 40 blocks of one input. What it tells of is chance, which grows less with the square
    root of their number: a fixed floor of 1.5 % would hide every difference of 1 % however often it was measured. Fewer
    blocks do not raise it: their comparison has a p-value, which knows their own scatter. blocks, inputs: 1 or more.
    """
    _check(noise_floor)
    _check_positive(blocks * inputs, "a number of blocks and inputs")
    return math.expm1(math.log1p(noise_floor) * math.sqrt(min(1.0, FLOOR_BLOCKS / (blocks * inputs))))


def _fewest(width: Callable[[int], float | None], wanted: float) -> int | None:
    """Return a number of repetitions that gives at most the wanted width while one fewer does not, by bisection."""
    low, high = FEWEST_FOR_INTERVAL - 1, FEWEST_FOR_INTERVAL
    while not _suffices(width(high), wanted):
        low, high = high, 2 * high
        if low > MOST_REPETITIONS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _suffices(width(middle), wanted) else (middle, high)
    return high if high <= MOST_REPETITIONS else None


def _suffices(width: float | None, wanted: float) -> bool:
    return width is not None and width <= wanted


def _check(spread: float) -> None:
    if not (math.isfinite(spread) and spread >= 0):
        raise InvalidRequest(f"a spread is finite and not negative, seen {spread}")


def _check_positive(value: float, what: str) -> None:
    if not (math.isfinite(value) and value > 0):
        raise InvalidRequest(f"{what} is finite and above 0, seen {value}")
