"""Outliers: marks of readings far from the others of their case, which are never dropped. Works without numpy."""

import math
from collections.abc import Sequence

from orchestrator.statistics.median import median

LIMIT = 3.5
"""Modified z-score above which a reading is an outlier, as Iglewicz and Hoaglin recommend."""
MAD_TO_SIGMA = 1.4826
"""Factor from median absolute deviation to standard deviation, for normal readings: 1 / 0.6745."""
MEAN_DEVIATION_TO_SIGMA = 1.2533
"""Factor from mean absolute deviation to standard deviation, for normal readings: √(π/2)."""


def modified_z_scores(readings: Sequence[float]) -> list[float]:
    """Return the signed distance of each reading from the median, in robust standard deviations.

    readings: any unit, shape (n,), finite. If more than half are equal, the median absolute deviation is 0 and the mean
    absolute deviation replaces it; if all are equal, every score is 0. Without readings there are no scores.
    Source: Iglewicz and Hoaglin, How to Detect and Handle Outliers (1993), chapter 3; for the replacement IBM, SPSS
    Modeler's description of the modified z-score.
    """
    if not readings:
        return []
    middle = median(readings)
    distances = [reading - middle for reading in readings]
    sizes = [abs(distance) for distance in distances]
    sigma = MAD_TO_SIGMA * median(sizes) or MEAN_DEVIATION_TO_SIGMA * math.fsum(sizes) / len(sizes)
    return [distance / sigma if sigma else 0.0 for distance in distances]


def outliers(times: Sequence[float], limit: float = LIMIT) -> list[bool]:
    """Return for each reading whether its modified z-score exceeds the limit, on either side.

    times: any unit, shape (n,), above 0. Their logarithms are scored, because a disturbance multiplies a time and times
    are skewed. Fewer than 3 readings have no outlier, because of two readings either may be the disturbed one.
    Raises ValueError for a time that is 0 or negative.
    """
    if len(times) < MIN_READINGS:
        return [False] * len(times)
    return [abs(score) > limit for score in modified_z_scores([math.log(time) for time in times])]


MIN_READINGS = 3
"""Readings below which none is an outlier."""
