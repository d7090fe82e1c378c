"""One comparison of a claim: block values, and the range that the claim states for their location.

A part of "A is faster than B for every length" is the comparison at one length: its block values are
ln(time of B / time of A), and the stated range is everything above ln(1 + smallest relevant difference). "No difference
beyond d" states the range from -ln(1 + d) to ln(1 + d), whose two limits are tested separately (two one-sided tests):
that a difference is not significant never counts as evidence for equality.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from orchestrator.statistics.distributions import student_quantile
from orchestrator.statistics.location import Floats, Location, blocks_for_share, locate, share_of_pairs
from orchestrator.statistics.median import MIN_FOR_INTERVAL
from orchestrator.statistics.outliers import MAD_TO_SIGMA
from orchestrator.statistics.power import HEAVY_TAILS, POWER, min_repetitions

MORE = 1.25
"""Least factor on the present blocks, which did not decide: with one block more, 78 % of predictions were right."""

Side = Literal["inside", "outside", "undecided"]


@dataclass(frozen=True)
class ClaimPart:
    """Block values of one comparison and the range that the claim states for their location."""

    name: str
    values: Floats
    """Logarithms of ratios or other differences, shape (blocks,), finite, at least one."""
    low: float = -math.inf
    """Lowest value that agrees with the claim, in the unit of the values."""
    high: float = math.inf
    error: float = 0.0
    """Possible error of the location that repetitions do not reduce, such as the agent's noise floor; 0 or more."""
    exact: bool = False
    """Whether the values have no error, such as the size of a program."""

    def __post_init__(self) -> None:
        """Raise ValueError for a range that excludes nothing or contains nothing."""
        if not self.low < self.high or (math.isinf(self.low) and math.isinf(self.high)):
            raise ValueError(f"part {self.name!r} needs low < high with a finite limit, got {self.low} and {self.high}")

    @cached_property
    def location(self) -> Location:
        """Location of the block values with its 95 % interval, for this part alone."""
        return locate(self.values)

    @property
    def distance(self) -> float:
        """Distance of the location from the nearest limit: positive inside of the range, negative outside."""
        return min(self.location.middle - self.low, self.high - self.location.middle)

    def p_inside(self) -> float:
        """Return the p-value of the hypothesis that the location is not inside of the range, 1 below 6 blocks.

        It is the larger p of the one-sided tests of both limits (two one-sided tests).
        Source: Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987).
        """
        if self.exact:
            return 0.0 if self.distance >= 0 else 1.0
        return max(
            self._p_above(self.low + self.error) if math.isfinite(self.low) else 0.0,
            self._p_below(self.high - self.error) if math.isfinite(self.high) else 0.0,
        )

    def p_outside(self) -> float:
        """Return the p-value of the hypothesis that the location is inside of the range, 1 below 6 blocks.

        The location can be outside on both sides of a range with two limits, so that the smaller p is doubled.
        """
        if self.exact:
            return 0.0 if self.distance < 0 else 1.0
        found = []
        if math.isfinite(self.low):
            found.append(self._p_below(self.low - self.error))
        if math.isfinite(self.high):
            found.append(self._p_above(self.high + self.error))
        return min(1.0, len(found) * min(found))

    def side(self, level_inside: float, level_outside: float) -> Side:
        """Return on which side of the limits the location is, at these levels of significance."""
        if self.p_inside() <= level_inside:
            return "inside"
        return "outside" if self.p_outside() <= level_outside else "undecided"

    def needed(self, level_inside: float, level_outside: float) -> int | None:
        """Return the repetitions that would probably decide this part; None if no number is expected to.

        Power 0.9 for the present location and dispersion, as in power.repetitions_for_difference. The dispersion is
        robust; a few blocks that contradict the others count by their ranks, with the same share of them among more
        blocks. At least MORE times the present blocks, which did not suffice. None means that the location is closer to
        a limit than the error that repetitions do not reduce, or that no number is expected to suffice.
        """
        distance = abs(self.distance) - self.error
        if distance <= 0:
            return None
        level = level_inside if self.distance > 0 else level_outside
        by_dispersion = repetitions_for_distance(self._dispersion() / distance, level)
        if by_dispersion is None:
            return None
        contradicting = share_of_pairs(self._margins())
        by_ranks = blocks_for_share(contradicting, level) if contradicting else MIN_FOR_INTERVAL
        return max(by_dispersion, by_ranks, math.ceil(MORE * len(self.values)))

    def _margins(self) -> Floats:
        """Return how far each value is on the location's side of the nearest limit, above 0 if it is."""
        inward = 1.0 if self.distance > 0 else -1.0
        margins = (self.values - self.low, self.high - self.values)
        nearest = margins[0] if self.location.middle - self.low == self.distance else margins[1]
        return inward * nearest - self.error

    def _dispersion(self) -> float:
        middle = float(np.median(self.values))
        count = len(self.values)
        if count < 2:
            return math.inf
        # The median absolute deviation of few values is too small by about this factor.
        return float(MAD_TO_SIGMA * np.median(np.abs(self.values - middle)) * math.sqrt(count / (count - 1)))

    def _p_above(self, limit: float) -> float:
        return _one_sided(self.values - limit, lambda middle: middle > 0)

    def _p_below(self, limit: float) -> float:
        return _one_sided(self.values - limit, lambda middle: middle < 0)


def _one_sided(distances: Floats, agrees: Callable[[float], bool]) -> float:
    """Return the p-value of the hypothesis that the location is on the other side of 0."""
    found = locate(distances)
    if found.p is None:
        return 1.0
    return found.p / 2 if agrees(found.middle) else 1 - found.p / 2


def repetitions_for_distance(relative_dispersion: float, level: float) -> int | None:
    """Return the blocks with which a one-sided test finds a distance in 90 % of cases; None above a million.

    relative_dispersion: standard deviation of the block values / distance from the limit, 0 or more; level: of the
    test, above 0. Source: as power.detectable_difference, with one side and one limit.
    """
    if not math.isfinite(relative_dispersion):
        return None

    def suffices(blocks: int) -> bool:
        quantiles = student_quantile(1 - level, blocks - 1) + student_quantile(POWER, blocks - 1)
        return HEAVY_TAILS * quantiles * relative_dispersion <= math.sqrt(blocks)

    return min_repetitions(suffices)
