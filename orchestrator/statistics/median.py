"""Median of readings, its interval, and their median absolute deviation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from statistics import median as _median

from orchestrator.shared.errors import NoData

CONFIDENCE = 0.95
MIN_FOR_INTERVAL = 6
"""Readings required for a 95 % interval; with 5, the interval from lowest to highest covers the median in 93.75 %."""


@dataclass(frozen=True)
class ConfidenceInterval:
    """Lower and upper limit, in the unit of the readings."""

    low: float
    high: float

    def contains(self, value: float) -> bool:
        """Return whether the value is between the limits or equal to one."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class MedianSummary:
    """Median of n readings with its interval, which is None below 6 readings."""

    n: int
    median: float
    interval: ConfidenceInterval | None


def median(readings: Sequence[float]) -> float:
    """Return the median: the middle reading, or the mean of the two middle ones.

    readings: any unit, shape (n,), n >= 1, finite. Raises NoData if the sequence is empty.
    """
    if not readings:
        raise NoData("The median of an empty sample is undefined.")
    return float(_median(readings))


def median_absolute_deviation(readings: Sequence[float]) -> float:
    """Return the median distance of the readings from their median, in their unit.

    readings: shape (n,), n >= 1, finite. Not scaled to a standard deviation (multiply by 1.4826 for that).
    Raises NoData if the sequence is empty.
    Source: Iglewicz and Hoaglin, How to Detect and Handle Outliers (1993).
    """
    middle = median(readings)
    return median([abs(reading - middle) for reading in readings])


def median_interval(readings: Sequence[float]) -> ConfidenceInterval | None:
    """Return the order-statistic 95 % interval of the median, or None if n is too small for it.

    readings: any unit, shape (n,), independent, any distribution. The limits are the k-th lowest and k-th highest
    reading with the largest k for which the interval covers the median with at least 95 %.
    Source: Conover, Practical Nonparametric Statistics, 3rd ed. (1999), section 3.2.
    """
    k = interval_rank(len(readings))
    if k == 0:
        return None
    ordered = sorted(readings)
    return ConfidenceInterval(low=float(ordered[k - 1]), high=float(ordered[-k]))


def summarize(readings: Sequence[float]) -> MedianSummary | None:
    """Return median and 95 % interval of the readings, or None without readings."""
    if not readings:
        return None
    return MedianSummary(n=len(readings), median=median(readings), interval=median_interval(readings))


def relative_interval(summary: MedianSummary | None) -> float | None:
    """Return half the width of the median's interval as a share of the median, or None if one of them is missing."""
    if summary is None or summary.interval is None or summary.median == 0:
        return None
    return (summary.interval.high - summary.interval.low) / 2 / abs(summary.median)


@lru_cache(maxsize=4096)
def interval_rank(n: int) -> int:
    """Return the largest k with P(X < k) <= 0.025 for X binomial (n, 1/2), or 0 if there is none.

    The k-th lowest and the k-th highest of n readings are then limits of the median.
    """
    if n > _EXACT_UP_TO:
        return _order_of_many(n)
    limit, tail, k = (1 - CONFIDENCE) / 2, 0.0, 0
    while k <= n // 2:
        tail += math.comb(n, k) / 2**n
        if tail > limit:
            break
        k += 1
    return k


_EXACT_UP_TO = 1000
"""Limit of the exact calculation; above about 1000, 2**n exceeds the range of a float."""


def _order_of_many(n: int) -> int:
    """Return k by the normal approximation of the binomial distribution, which errs by less than one rank here."""
    quantile = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
    return max(0, math.floor(n / 2 - quantile * math.sqrt(n) / 2))
