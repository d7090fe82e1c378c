"""Noise floor: the difference of two equal measurements by chance. Without numpy, which devices do not install."""

import math
from collections.abc import Sequence
from itertools import combinations_with_replacement
from random import Random
from statistics import median

from orchestrator.statistics.median import median_absolute_deviation
from orchestrator.statistics.outliers import MAD_TO_SIGMA
from orchestrator.statistics.power import FLOOR_BLOCKS

QUANTILE = 0.95
_RESAMPLES = 200


def noise_floor(log_ratios: Sequence[float]) -> float:
    """Return the relative difference (0.01 is 1 %) that 95 % of the comparisons of equal cases stay below.

    log_ratios: ln(first / second) of interleaved pairs of the same command, shape (n,), n >= 1, finite. Answers compare
    by the pseudo-median of one log-ratio per block (statistics.location); the noise floor is the dispersion of such
    pseudo-medians over `FLOOR_BLOCKS` blocks. Blocks are resampled from the pairs with random signs, because the two
    executions of a pair are interchangeable. Each block has one input; comparisons over several inputs vary less.
    """
    random = Random(0)  # noqa: S311 - a resampling, not a secret
    middles = sorted(
        abs(pseudo_median([ratio * random.choice((-1, 1)) for ratio in random.choices(log_ratios, k=FLOOR_BLOCKS)]))
        for _ in range(_RESAMPLES)
    )
    return math.expm1(middles[math.ceil(QUANTILE * _RESAMPLES) - 1])


def pseudo_median(values: Sequence[float]) -> float:
    """Return the median of the means of all pairs of values, including each value with itself.

    values: any unit, shape (n,), n >= 1, finite.
    Source: Hodges and Lehmann, Annals of Mathematical Statistics 34 (1963).
    """
    return median(one + other for one, other in combinations_with_replacement(values, 2)) / 2


def single_execution_spread(walls_ns: Sequence[float]) -> float:
    """Return the robust standard deviation of ln(time) of single executions: 0.02 is 2 %.

    walls_ns: nanoseconds, shape (n,), n >= 1, above 0. Up to half of them may be outliers.
    """
    return MAD_TO_SIGMA * median_absolute_deviation([math.log(wall_ns) for wall_ns in walls_ns])
