"""Precision that a number of repetitions reaches, and number that a precision requires. Works without numpy.

Both start from the dispersion of single executions: the robust standard deviation of ln(time), 1.4826 times the median
absolute deviation, dimensionless (0.02 is 2 %). No measured difference is used: stopping when an interval is narrow
enough is unbiased, stopping when a difference is significant is not.
"""

import math
from collections.abc import Callable
from statistics import NormalDist

from orchestrator.shared.errors import InvalidRequest
from orchestrator.statistics.distributions import student_quantile
from orchestrator.statistics.median import CONFIDENCE, MIN_FOR_INTERVAL, interval_rank

POWER = 0.9
"""Share of the comparisons with a difference of the given size that find it."""
HEAVY_TAILS = 1.25
"""Factor on the values for a normal distribution of ln(time).

The dispersion is robust and does not include the 3 % of executions that are disturbed by a factor of 3 to 10. In 20 000
simulated cases with such noise and 10 to 100 repetitions, the median's interval was at most 1.25 (10: 1.35) times the
normal one in four of five cases, and at most 1.3 to 1.6 times in nine of ten.
"""
MAX_REPETITIONS = 1_000_000
FLOOR_BLOCKS = 40
"""Blocks, with one input, for which an agent's noise floor is defined."""
MIN_FOR_DIFFERENCE = 12
"""Minimum number of blocks with one input; with fewer, a single disturbed block can hide any difference."""


def expected_relative_interval(dispersion: float, repetitions: int) -> float | None:
    """Return the expected half-width of the median's 95 % interval, as a share of the median; None below 6 repetitions.

    dispersion: robust standard deviation of ln(time) of single executions, 0 or more. Four of five intervals are at
    least as narrow. Raises InvalidRequest for a dispersion that is negative or not finite.
    Source: the interval of median.median_interval, its limits at the expected normal order statistics (Blom,
    Statistical Estimates and Transformed Beta-Variables, 1958: rank i of n is at (i - 3/8) / (n + 1/4)).
    """
    _check(dispersion)
    rank = interval_rank(repetitions)
    if rank == 0:
        return None
    upper = NormalDist().inv_cdf((repetitions - rank + 0.625) / (repetitions + 0.25))
    return math.expm1(HEAVY_TAILS * dispersion * upper)


def repetitions_for_interval(dispersion: float, relative_interval: float) -> int | None:
    """Return the repetitions that make the median's interval at most ± relative_interval; None above a million.

    relative_interval: half-width as a share of the median, above 0 (0.01 is ± 1 %). One repetition fewer is not
    enough. Raises InvalidRequest for values out of range.
    """
    _check(dispersion)
    _check_positive(relative_interval, "a relative interval")
    return min_repetitions(lambda n: _is_within(expected_relative_interval(dispersion, n), relative_interval))


def detectable_difference(dispersion: float, repetitions: int, inputs: int = 1) -> float | None:
    """Return the relative difference that a paired comparison finds in 90 % of cases; None below 6 repetitions.

    dispersion: as above. repetitions: blocks in which both were executed. inputs: number of inputs over which each
    block's log-ratio is averaged, 1 or more, with independent noise. Holm's correction and the agent's noise floor,
    below which every difference is a tie, are not included. Simulated with and without 3 % of executions 3 to 10 times
    as long, 1 to 24 inputs and 6 to 40 blocks, 86 to 99 % of the differences were found; but with such executions only
    80 % by 6 blocks of 24 inputs, and 74 to 77 % by 6 or 10 blocks of one input.
    Raises InvalidRequest for values out of range.
    Source: power of the paired t test, normal shift (Cohen, Statistical Power Analysis, 2nd ed., 1988, section 2.3),
    with quantiles of t in both places, which is slightly more than the noncentral distribution requires.
    """
    _check(dispersion)
    _check_positive(inputs, "a number of inputs")
    if repetitions < MIN_FOR_INTERVAL:
        return None
    degrees = repetitions - 1
    quantiles = student_quantile(0.5 + CONFIDENCE / 2, degrees) + student_quantile(POWER, degrees)
    return math.expm1(HEAVY_TAILS * quantiles * dispersion * math.sqrt(2 / (inputs * repetitions)))


def repetitions_for_difference(dispersion: float, difference: float, inputs: int = 1) -> int | None:
    """Return the repetitions that find a relative difference (0.02 is 2 %) in 90 % of cases; None above a million.

    dispersion, inputs: as in detectable_difference. difference: above 0. With one input at least 12, so that a
    disturbed block does not hide the difference. Raises InvalidRequest for values out of range.
    """
    _check(dispersion)
    _check_positive(difference, "a difference")
    found = min_repetitions(lambda n: _is_within(detectable_difference(dispersion, n, inputs), difference))
    return max(found, MIN_FOR_DIFFERENCE) if found is not None and inputs == 1 else found


def floor_of_comparison(noise_floor: float, blocks: int, inputs: int) -> float:
    """Return the noise floor of a comparison with this number of blocks and inputs.

    noise_floor: that of the agent, over 40 blocks of one input. It is due to chance, which decreases with the square
    root of their number: a fixed floor of 1.5 % would hide a difference of 1 % for any number of measurements. Fewer
    blocks do not raise it, because the p-value of their comparison includes their dispersion. blocks, inputs: 1 or
    more.
    """
    _check(noise_floor)
    _check_positive(blocks * inputs, "a number of blocks and inputs")
    return math.expm1(math.log1p(noise_floor) * math.sqrt(min(1.0, FLOOR_BLOCKS / (blocks * inputs))))


def min_repetitions(suffices: Callable[[int], bool]) -> int | None:
    """Return the smallest number of repetitions that suffices, at least 6, by bisection; None above a million."""
    low, high = MIN_FOR_INTERVAL - 1, MIN_FOR_INTERVAL
    while not suffices(high):
        low, high = high, 2 * high
        if low > MAX_REPETITIONS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high if high <= MAX_REPETITIONS else None


def _is_within(width: float | None, max_width: float) -> bool:
    return width is not None and width <= max_width


def _check(dispersion: float) -> None:
    if not (math.isfinite(dispersion) and dispersion >= 0):
        raise InvalidRequest(f"a dispersion must be finite and 0 or more, got {dispersion}")


def _check_positive(value: float, what: str) -> None:
    if not (math.isfinite(value) and value > 0):
        raise InvalidRequest(f"{what} must be finite and above 0, got {value}")
