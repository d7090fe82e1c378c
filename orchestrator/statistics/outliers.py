"""Readings that lie far from the others of their case: marked, never dropped. Free of numpy."""

import math
from collections.abc import Sequence

from orchestrator.statistics.median import median

LIMIT = 3.5
"""Modified z-scores beyond it are outliers, as Iglewicz and Hoaglin recommend."""
MAD_TO_SIGMA = 1.4826
"""Median absolute deviation to standard deviation, for normal readings: 1 / 0.6745."""
MEAN_DEVIATION_TO_SIGMA = 1.2533
"""Mean absolute deviation to standard deviation, for normal readings: √(π/2)."""


def modified_z_scores(readings: Sequence[float]) -> list[float]:
    """Return how far each reading lies from the median, in robust standard deviations; signed, dimensionless.

    readings: any unit, shape (n,), finite. Where more than half are equal the median absolute deviation is 0; the
    mean absolute deviation stands in for it then, and where all are equal every score is 0. No reading, no score.
    Source: Iglewicz and Hoaglin, How to Detect and Handle Outliers (1993), chapter 3; for the stand-in IBM, SPSS
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
    """Mark the readings whose modified z-score lies beyond the limit, on either side; in the given order.

    times: any unit, shape (n,), above 0: their logarithms are scored, because a reading that is disturbed is so many
    times as long, and times are skewed. Fewer than 3 readings have no outlier: nobody knows which of two is one.
    Raises ValueError for a time that is 0 or negative.
    """
    if len(times) < FEWEST:
        return [False] * len(times)
    return [abs(score) > limit for score in modified_z_scores([math.log(time) for time in times])]


FEWEST = 3
