"""Whether a machine gets slower or faster while it measures: heat, a throttle, a neighbour."""

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from orchestrator.errors import NoData
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import CONFIDENCE, Interval

FEWEST = 10
"""Below it Kendall's normal approximation is rough, and the slope is anybody's guess."""
_LARGEST_LOG = math.log(sys.float_info.max)
MOST_POINTS = 500
"""Slopes are taken between all pairs; more readings are first put together in groups that follow each other."""


@dataclass(frozen=True)
class Trend:
    """How the time that things take changes over time."""

    log_per_hour: float  # of ln(time): 0.012 is about 1.2 % longer each hour; negative: it gets faster
    interval: Interval | None  # of per_hour, 95 %; None where all readings were taken at so few times
    p: float  # Kendall's, of the hypothesis that there is no trend
    hours: float  # from the first reading to the last
    readings: int

    @property
    def per_hour(self) -> float:
        """By what share things take longer after an hour; of a run of seconds no more than a way to say the slope."""
        return _share(self.log_per_hour)

    @property
    def change(self) -> float:
        """By what share times differ between the first reading and the last, as the slope has it."""
        return _share(self.log_per_hour * self.hours)


def residuals(times: Floats) -> Floats:
    """Return by how much each reading differs from the usual one of its case: ln(time) less the case's median.

    times: any unit, positive, shape (n,), NaN where there is no result.
    """
    logs = np.log(times)
    finite = logs[np.isfinite(logs)]
    found: Floats = logs - np.median(finite) if finite.size else logs
    return found


def trend(residuals_of: Floats, hours: Floats) -> Trend:
    """Return the slope of log-residuals over time, robust against disturbed readings.

    residuals_of: dimensionless, shape (n,), from residuals() of each case put together; hours: since any moment, same
    shape; both finite, in any order. More than 500 readings become 500 groups of neighbours in time, each by its
    medians. Slope: the median of the slopes between all pairs; interval and p from the variance of Kendall's S with
    ties. Both take readings as independent; a machine that is busy for minutes has fewer independent ones than
    readings, so the sentence asks for more than p (see results/answers/trends.py).
    Raises NoData below 10 readings or where all were taken at one time.
    Source: Theil (1950); Sen, Estimates of the Regression Coefficient Based on Kendall's Tau, JASA 63 (1968).
    scipy.stats has both (theilslopes, kendalltau), and the tests hold this to them: importing it takes over a second
    of the first page that somebody waits for.
    """
    if len(hours) < FEWEST or float(np.ptp(hours)) == 0:
        raise NoData(f"{len(hours)} readings show no trend; it takes {FEWEST}, taken at different times.")
    values, moments = _grouped(residuals_of, hours)
    first, second = np.triu_indices(len(moments), 1)
    apart = moments[second] - moments[first]
    rises = values[second] - values[first]
    slopes = np.sort(rises[apart > 0] / apart[apart > 0])
    s = float(np.sign(rises[apart > 0]).sum())
    deviation = _deviation_of_s(values, moments)
    return Trend(
        log_per_hour=float(np.median(slopes)),
        interval=_interval(slopes, deviation),
        # Less one step towards 0, because S is a whole number and the normal distribution is not.
        p=min(1.0, 2 * float(ndtr(-max(abs(s) - 1, 0) / deviation))) if deviation else 1.0,
        hours=float(np.ptp(hours)),
        readings=len(hours),
    )


def _grouped(values: Floats, hours: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(hours, kind="stable")
    values, hours = values[order], hours[order]
    if len(hours) <= MOST_POINTS:
        return values, hours
    parts = np.array_split(np.arange(len(hours)), MOST_POINTS)
    return tuple(np.array([np.median(one[part]) for part in parts]) for one in (values, hours))  # type: ignore[return-value]


def _deviation_of_s(values: Floats, hours: Floats) -> float:
    """Return the standard deviation of Kendall's S where there is no trend, ties taken into account."""

    def ties(of: Floats) -> Iterable[int]:
        return (int(count) for count in np.unique(of, return_counts=True)[1] if count > 1)

    n = len(hours)
    variance = float(n * (n - 1) * (2 * n + 5))
    variance -= sum(t * (t - 1) * (2 * t + 5) for of in (values, hours) for t in ties(of))
    return math.sqrt(max(variance, 0.0) / 18)


def _interval(slopes: Floats, deviation: float) -> Interval | None:
    """Return Sen's interval: the slopes as many ranks from the middle as S strays by chance."""
    strays = float(ndtri(0.5 + CONFIDENCE / 2)) * deviation
    low, high = round((len(slopes) - strays) / 2) - 1, round((len(slopes) + strays) / 2)
    if low < 0 or high >= len(slopes):
        return None
    return Interval(_share(float(slopes[low])), _share(float(slopes[high])))


def _share(log_ratio: float) -> float:
    """Return the share that a difference of logarithms is; infinite where a float cannot hold it."""
    return math.expm1(log_ratio) if log_ratio < _LARGEST_LOG else math.inf
