"""Location of block values: their pseudo-median, with an interval and a test that resample the signs of the blocks.

If θ is the location, the deviation of each block value from θ has either sign with the same probability, because the
order within a block is random. The 2^n ways to flip the signs therefore give the distribution of the rank sum for any
kind of noise. All of them are counted instead of drawing some, so that the result is deterministic.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from orchestrator.errors import NoData
from orchestrator.statistics.distributions import student_two_sided_p
from orchestrator.statistics.median import CONFIDENCE, MIN_FOR_INTERVAL, Interval

Floats = NDArray[np.float64]

MAX_BLOCKS = 200
"""Values that are compared pair by pair. More are first averaged in this number of consecutive groups."""


@dataclass(frozen=True)
class Location:
    """Location of n values, in their unit."""

    n: int
    middle: float  # Hodges and Lehmann's estimate: the median of all means of two values
    interval: Interval | None  # None if n is too small for the confidence
    p: float | None  # of the hypothesis that the location is 0, two-sided; None below 6 values


def locate(values: Floats, confidence: float = CONFIDENCE) -> Location:
    """Return the location of the values, its interval, and a test against 0.

    values: any unit, shape (n,), finite, one per block; symmetric around their location, with any distribution; up to a
    third of them may be arbitrary. interval: all θ that the test does not reject, limited by the k-th lowest and
    highest of the n(n+1)/2 means of two values (Walsh averages). p agrees with it: p <= 0.05 exactly if 0 is outside
    the 95 % interval. Flips alone give no p below 2^(1-n). If all values have the same sign, p is the smaller of that
    and Student's, so that a few blocks that agree remain significant after a correction for many comparisons.
    Raises NoData if there are no values.
    Source: Hodges and Lehmann, Annals of Mathematical Statistics 34 (1963); Hollander, Wolfe and Chicken,
    Nonparametric Statistical Methods, 3rd ed. (2014), sections 3.1 to 3.3.
    """
    if values.size == 0:
        raise NoData("The location of an empty sample is undefined.")
    grouped = values if len(values) <= MAX_BLOCKS else _grouped(values)
    means = _walsh_averages(grouped)
    return Location(
        n=len(values),
        middle=float(np.median(means)),
        interval=_interval(means, len(grouped), confidence),
        p=_p_of_zero(means, grouped),
    )


def share_of_pairs(values: Floats) -> float:
    """Return the share of the means of two values that are below 0; a mean of 0 counts half. values: as in locate."""
    means = _walsh_averages(values if len(values) <= MAX_BLOCKS else _grouped(values))
    return float((means < 0).mean() + (means == 0).mean() / 2)


def blocks_for_share(share: float, level: float) -> int:
    """Return the blocks with which a one-sided test finds a location above 0 at this level, at most MAX_BLOCKS.

    share: of the pair means that are below 0, which more blocks are expected to have, too; level: of the test, above 0.
    More blocks than MAX_BLOCKS are averaged in groups, so that the ranks of single ones decide no more.
    """
    blocks = range(MIN_FOR_INTERVAL, MAX_BLOCKS)
    return next((n for n in blocks if _cumulated(n)[math.ceil(share * n * (n + 1) / 2)] <= level), MAX_BLOCKS)


def _grouped(values: Floats) -> Floats:
    """Return the means of MAX_BLOCKS groups of consecutive values, of sizes as equal as possible."""
    return np.array([part.mean() for part in np.array_split(values, MAX_BLOCKS)])


def _walsh_averages(values: Floats) -> Floats:
    """Return the means of all pairs, each value with itself included, ascending, shape (n(n+1)/2,)."""
    first, second = _pairs(len(values))
    means: Floats = np.sort((values[first] + values[second]) / 2)
    return means


@lru_cache(maxsize=32)
def _pairs(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, second = np.triu_indices(n)
    return first, second


@lru_cache(maxsize=256)
def _cumulated(n: int) -> Floats:
    """Return P(W <= w) for w = 0 … n(n+1)/2, W the sum of the ranks 1 … n with a positive sign, by convolution."""
    chances = np.zeros(n * (n + 1) // 2 + 1)
    chances[0] = 1.0
    for rank in range(1, n + 1):
        shifted = np.concatenate([np.zeros(rank), chances[:-rank]])
        chances = (chances + shifted) / 2
    return np.cumsum(chances)


def _interval(means: Floats, n: int, confidence: float) -> Interval | None:
    """Return the k-th lowest and highest mean with the largest k of which P(W <= k - 1) <= (1 - confidence) / 2."""
    k = int(np.searchsorted(_cumulated(n), (1 - confidence) / 2, side="right"))
    return Interval(float(means[k - 1]), float(means[-k])) if k else None


def _p_of_zero(means: Floats, values: Floats) -> float | None:
    n = len(values)
    if n < MIN_FOR_INTERVAL:
        return None
    outside = min(int((means <= 0).sum()), int((means >= 0).sum()))
    p = min(1.0, 2 * float(_cumulated(n)[outside]))
    return min(p, _student_p(values)) if outside == 0 else p


def _student_p(values: Floats) -> float:
    """Return Student's two-sided p of the hypothesis that the mean is 0; 0 if all values are equal."""
    deviation = float(values.std(ddof=1))
    if deviation == 0:
        return 0.0
    t = abs(float(values.mean())) * math.sqrt(len(values)) / deviation
    return student_two_sided_p(t, len(values) - 1)
