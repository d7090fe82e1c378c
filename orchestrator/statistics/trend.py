"""Trend of a machine's speed during a run, as caused by heat, throttling or other load."""

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from orchestrator.shared.errors import NoData
from orchestrator.statistics.distributions import normal_two_sided_p
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import CONFIDENCE, ConfidenceInterval

MIN_READINGS = 10
"""Readings below which Kendall's normal approximation is rough and the slope arbitrary."""
_LARGEST_LOG = math.log(sys.float_info.max)
MAX_POINTS = 500
"""Readings between all pairs of which slopes are taken. More are first combined into consecutive groups."""


@dataclass(frozen=True)
class Trend:
    """Change of execution times over the time of a run."""

    log_per_hour: float  # slope of ln(time): 0.012 is about 1.2 % longer per hour; negative: faster
    interval: ConfidenceInterval | None  # of per_hour, 95 %; None if the readings have too few different times
    p: float  # Kendall's, of the hypothesis that there is no trend
    hours: float  # from the first reading to the last
    readings: int

    @property
    def per_hour(self) -> float:
        """Relative change of times per hour; for a run of seconds it only expresses the slope."""
        return _share(self.log_per_hour)

    @property
    def change(self) -> float:
        """Relative change of times between the first and the last reading, according to the slope."""
        return _share(self.log_per_hour * self.hours)


def residuals(times: Floats) -> Floats:
    """Return the log-residual of each reading: ln(time) less the median of its case.

    times: any unit, positive, shape (n,), NaN for a missing result.
    """
    logs = np.log(times)
    finite = logs[np.isfinite(logs)]
    deviations: Floats = logs - np.median(finite) if finite.size else logs
    return deviations


def trend(residuals_of: Floats, hours: Floats) -> Trend:
    """Return the slope of log-residuals over time, robust against disturbed readings.

    residuals_of: dimensionless, shape (n,), residuals() of all cases concatenated; hours: since any moment, same shape;
    both finite, in any order. More than 500 readings are combined into 500 groups of consecutive ones, each represented
    by its medians. Slope: the median of the slopes between all pairs; interval and p from the variance of Kendall's S
    with ties. Both assume independent readings; a machine that is busy for minutes has fewer independent ones, so the
    summary requires more than p (see results/answers/trends.py).
    Raises NoData below 10 readings or if all have the same time.
    Source: Theil (1950); Sen, Estimates of the Regression Coefficient Based on Kendall's Tau, JASA 63 (1968).
    scipy.stats has both (theilslopes, kendalltau), and the tests compare the results with it. It is not used here
    because it takes memory of the service and delays the first page by more than a second.
    """
    if len(hours) < MIN_READINGS or float(np.ptp(hours)) == 0:
        raise NoData(f"{len(hours)} readings do not show a trend; measure at least {MIN_READINGS} at different times.")
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
        # Continuity correction by one step, because S is an integer.
        p=normal_two_sided_p(max(abs(s) - 1, 0) / deviation) if deviation else 1.0,
        hours=float(np.ptp(hours)),
        readings=len(hours),
    )


def _grouped(values: Floats, hours: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(hours, kind="stable")
    values, hours = values[order], hours[order]
    if len(hours) <= MAX_POINTS:
        return values, hours
    parts = np.array_split(np.arange(len(hours)), MAX_POINTS)
    return tuple(np.array([np.median(one[part]) for part in parts]) for one in (values, hours))  # type: ignore[return-value]


def _deviation_of_s(values: Floats, hours: Floats) -> float:
    """Return the standard deviation of Kendall's S without a trend, corrected for ties."""

    def ties(of: Floats) -> Iterable[int]:
        return (int(count) for count in np.unique(of, return_counts=True)[1] if count > 1)

    n = len(hours)
    variance = float(n * (n - 1) * (2 * n + 5))
    variance -= sum(t * (t - 1) * (2 * t + 5) for of in (values, hours) for t in ties(of))
    return math.sqrt(max(variance, 0.0) / 18)


def _interval(slopes: Floats, deviation: float) -> ConfidenceInterval | None:
    """Return Sen's interval, limited by slopes at a distance in ranks that S has by chance."""
    rank_distance = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2) * deviation
    low, high = round((len(slopes) - rank_distance) / 2) - 1, round((len(slopes) + rank_distance) / 2)
    if low < 0 or high >= len(slopes):
        return None
    return ConfidenceInterval(_share(float(slopes[low])), _share(float(slopes[high])))


def _share(log_ratio: float) -> float:
    """Return the relative change for a difference of logarithms; infinite if it exceeds a float."""
    return math.expm1(log_ratio) if log_ratio < _LARGEST_LOG else math.inf
