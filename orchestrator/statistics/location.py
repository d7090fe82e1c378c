"""Where block values lie: their pseudo-median, with an interval and a test that resample the signs of the blocks.

Under the hypothesis that they lie around θ, the distance of each block value from θ was as likely to come out with the
other sign: the order within a block is random. The 2^n ways to flip the signs therefore give the distribution of the
rank sum, whatever the noise looks like, and all of them are counted instead of drawing some: nothing is random here.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from orchestrator.errors import NoData
from orchestrator.statistics.median import CONFIDENCE, FEWEST_FOR_INTERVAL, Interval

Floats = NDArray[np.float64]

MOST_BLOCKS = 200
"""So many values are looked at pair by pair; more are first averaged in as many groups of neighbours."""


@dataclass(frozen=True)
class Location:
    """Where n values lie, in their unit."""

    n: int
    middle: float  # Hodges and Lehmann's estimate: the median of all means of two values
    interval: Interval | None  # None where n is too small for the confidence
    p: float | None  # of the hypothesis that they lie around 0, two-sided; None below 6


def locate(values: Floats, confidence: float = CONFIDENCE) -> Location:
    """Return where the values lie, how sure that is, and whether it could be 0.

    values: any unit, shape (n,), finite, one per block; symmetric around where they lie, any distribution, a third of
    them may be anything. interval: those θ that the test does not reject, which are the k-th lowest and highest of the
    n(n+1)/2 means of two values (Walsh averages). p agrees with it: p <= 0.05 exactly where 0 lies outside the 95 %
    interval. By flips alone p could not fall below 2^(1-n); where every value has the same sign, p is that or
    Student's, whichever is smaller, so that few blocks that agree stand up to a correction for many comparisons.
    Raises NoData when there is no value.
    Source: Hodges and Lehmann, Annals of Mathematical Statistics 34 (1963); Hollander, Wolfe and Chicken,
    Nonparametric Statistical Methods, 3rd ed. (2014), sections 3.1 to 3.3.
    """
    if values.size == 0:
        raise NoData("No values lie nowhere.")
    grouped = values if len(values) <= MOST_BLOCKS else _grouped(values)
    means = _walsh_averages(grouped)
    return Location(
        n=len(values),
        middle=float(np.median(means)),
        interval=_interval(means, len(grouped), confidence),
        p=_p_of_zero(means, grouped),
    )


def _grouped(values: Floats) -> Floats:
    """Return the means of MOST_BLOCKS groups of neighbouring values, as equal in size as can be."""
    return np.array([part.mean() for part in np.array_split(values, MOST_BLOCKS)])


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
    if n < FEWEST_FOR_INTERVAL:
        return None
    outside = min(int((means <= 0).sum()), int((means >= 0).sum()))
    p = min(1.0, 2 * float(_cumulated(n)[outside]))
    return min(p, _student_p(values)) if outside == 0 else p


def _student_p(values: Floats) -> float:
    """Return Student's two-sided p of the hypothesis that the mean is 0; 0 where all values are the same."""
    spread = float(values.std(ddof=1))
    if spread == 0:
        return 0.0
    t = abs(float(values.mean())) * math.sqrt(len(values)) / spread
    return 2 * float(stdtr(len(values) - 1, -t))
