"""A stated share of counted events: exact binomial tests and interval."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.statistics.distributions import incomplete_beta
from orchestrator.statistics.median import CONFIDENCE, ConfidenceInterval

_BISECTIONS = 60


@dataclass(frozen=True)
class Counts:
    """Events of one kind among independent events, and the share that the claim states for them."""

    name: str
    count: int
    """Events of the kind."""
    total: int
    """All events, at least one."""
    low: float
    """The claim states that the probability of the kind is above this, 0 to 1, exclusive."""

    def __post_init__(self) -> None:
        """Raise ValueError for counts that are not possible and for a limit that excludes nothing."""
        if not 0 <= self.count <= self.total or self.total < 1:
            raise ValueError(f"{self.name!r} needs 0 <= count <= total with a total of 1 or more")
        if not 0 < self.low < 1:
            raise ValueError(f"{self.name!r} needs a limit between 0 and 1, got {self.low}")

    @property
    def share(self) -> float:
        """Observed share."""
        return self.count / self.total

    def p_above(self) -> float:
        """Return the p-value of the hypothesis that the probability is at most the limit."""
        return _at_least(self.count, self.total, self.low)

    def p_below(self) -> float:
        """Return the p-value of the hypothesis that the probability is at least the limit."""
        return _at_most(self.count, self.total, self.low)

    def interval(self) -> ConfidenceInterval:
        """Return the 95 % interval of the probability.

        Source: Clopper and Pearson, Biometrika 26 (1934).
        """
        tail = (1 - CONFIDENCE) / 2
        low = 0.0 if self.count == 0 else _root(lambda p: _at_least(self.count, self.total, p) - tail)
        high = 1.0 if self.count == self.total else _root(lambda p: tail - _at_most(self.count, self.total, p))
        return ConfidenceInterval(low, high)


def _at_least(count: int, total: int, probability: float) -> float:
    """Return the probability of at least `count` events."""
    return 1.0 if count == 0 else incomplete_beta(count, total - count + 1, probability)


def _at_most(count: int, total: int, probability: float) -> float:
    return 1.0 if count == total else incomplete_beta(total - count, count + 1, 1 - probability)


def _root(rising: Callable[[float], float]) -> float:
    """Return the zero of a rising function between 0 and 1."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return math.fsum((low, high)) / 2
