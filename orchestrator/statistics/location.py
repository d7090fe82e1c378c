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

from orchestrator.shared.errors import NoData
from orchestrator.statistics.distributions import beta_log_factor, fraction_coefficients
from orchestrator.statistics.median import CONFIDENCE, MIN_FOR_INTERVAL, ConfidenceInterval

Floats = NDArray[np.float64]

MAX_BLOCKS = 200
"""Values that are compared pair by pair. More are first averaged in this number of consecutive groups."""


_RELATIVE_ERROR = 1e-12
"""Largest relative error of Student's p."""


@dataclass(frozen=True)
class Location:
    """Location of n values, in their unit."""

    n: int
    middle: float  # Hodges and Lehmann's estimate: the median of all means of two values
    interval: ConfidenceInterval | None  # 95 %; None if n is too small for it
    p: float | None  # of the hypothesis that the location is 0, two-sided; None below 6 values


def locate(values: Floats) -> Location:
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
    grouped = values if len(values) <= MAX_BLOCKS else _grouped(values[None])[0]
    means = _walsh_averages(grouped)
    return Location(
        n=len(values),
        middle=float(np.median(means)),
        interval=_interval(means, len(grouped)),
        p=float(_p_of_zero(grouped[None])[0]) if len(grouped) >= MIN_FOR_INTERVAL else None,
    )


def locate_many(values: Floats, limits: Floats) -> tuple[Floats, Floats]:
    """Return the location of each row as far as a verdict requires it, and its p-value, both of shape (rows,).

    values: as in locate, at least 6, shape (rows, n). limits: locations up to this size are no difference. The location
    is the middle of locate, except where the verdict is known without it: NaN for a p above 0.05, and the value that is
    nearest to 0 where all have the same sign and exceed the limit, because the middle is further away then.
    """
    grouped = values if values.shape[1] <= MAX_BLOCKS else _grouped(values)
    p = _p_of_zero(grouped)
    sizes = np.abs(grouped)
    middles = grouped[np.arange(len(grouped)), sizes.argmin(axis=1)]
    one_sign = (grouped > 0).all(axis=1) | (grouped < 0).all(axis=1)
    near = ~(one_sign & (np.abs(middles) > limits)) & (p <= 1 - CONFIDENCE)
    middles[p > 1 - CONFIDENCE] = np.nan
    if near.any():
        middles[near] = np.median(_pair_sums(grouped[near]) / 2, axis=1)
    return middles, p


def share_of_pairs(values: Floats) -> float:
    """Return the share of the means of two values that are below 0; a mean of 0 counts half. values: as in locate."""
    means = _walsh_averages(values if len(values) <= MAX_BLOCKS else _grouped(values[None])[0])
    return float((means < 0).mean() + (means == 0).mean() / 2)


def blocks_for_share(share: float, level: float) -> int:
    """Return the blocks with which a one-sided test finds a location above 0 at this level, at most MAX_BLOCKS.

    share: of the pair means that are below 0, which more blocks are expected to have, too; level: of the test, above 0.
    More blocks than MAX_BLOCKS are averaged in groups, so that the ranks of single ones decide no more.
    """
    blocks = range(MIN_FOR_INTERVAL, MAX_BLOCKS)
    return next((n for n in blocks if _cumulated(n)[math.ceil(share * n * (n + 1) / 2)] <= level), MAX_BLOCKS)


def _grouped(values: Floats) -> Floats:
    """Return the means of MAX_BLOCKS groups of consecutive values of each row, of sizes as equal as possible."""
    return np.stack([part.mean(axis=1) for part in np.array_split(values, MAX_BLOCKS, axis=1)], axis=1)


def _walsh_averages(values: Floats) -> Floats:
    """Return the means of all pairs, each value with itself included, ascending, shape (n(n+1)/2,)."""
    means: Floats = np.sort(_pair_sums(values[None])[0] / 2)
    return means


def _pair_sums(values: Floats) -> Floats:
    """Return the sums of all pairs of each row, each value with itself included, shape (rows, n(n+1)/2)."""
    first, second = _pairs(values.shape[1])
    sums: Floats = values[:, first] + values[:, second]
    return sums


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


def _interval(means: Floats, n: int) -> ConfidenceInterval | None:
    """Return the k-th lowest and highest mean with the largest k of which P(W <= k - 1) <= 0.025."""
    k = int(np.searchsorted(_cumulated(n), (1 - CONFIDENCE) / 2, side="right"))
    return ConfidenceInterval(float(means[k - 1]), float(means[-k])) if k else None


def _p_of_zero(values: Floats) -> Floats:
    """Return the p-value of location 0 of each row, shape (rows,); values: shape (rows, n), 6 <= n <= MAX_BLOCKS."""
    n = values.shape[1]
    found: Floats = np.minimum(2.0 ** (1 - n), _student_p(values))
    mixed = (values <= 0).any(axis=1) & (values >= 0).any(axis=1)
    if mixed.any():
        sums = _pair_sums(values[mixed])
        outside = np.minimum((sums <= 0).sum(axis=1), (sums >= 0).sum(axis=1))
        found[mixed] = np.minimum(1.0, 2 * _cumulated(n)[outside])
    return found


def _student_p(values: Floats) -> Floats:
    """Return Student's two-sided p of the mean 0 of each row, shape (rows,); 0 if all values of the row are equal.

    Below t² = 3, where the continued fraction converges slowly, it is 1: the flips give a smaller one.
    """
    degrees, deviations = values.shape[1] - 1, values.std(axis=1, ddof=1)
    t = values.mean(axis=1) * math.sqrt(values.shape[1]) / np.where(deviations > 0, deviations, 1.0)
    found = np.where(deviations > 0, 1.0, 0.0)
    far = (deviations > 0) & (t * t >= 3)
    if far.any():
        found[far] = _beta_tail(degrees / 2, 0.5, degrees / (degrees + t[far] * t[far]))
    return found


def _beta_tail(a: float, b: float, x: Floats) -> Floats:
    """Return I_x(a, b) of each x, as distributions.incomplete_beta does for one; x: up to its mean."""
    value, above, below = np.ones_like(x), np.ones_like(x), np.zeros_like(x)
    for coefficient in fraction_coefficients(a, b):
        below, above = 1 / (1 + coefficient * x * below), 1 + coefficient * x / above
        value *= above * below
        if np.abs(above * below - 1).max() < _RELATIVE_ERROR:
            break
    tail: Floats = np.exp(beta_log_factor(a, b) + a * np.log(x) + b * np.log1p(-x)) / (a * value)
    return tail
