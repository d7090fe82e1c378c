"""The nearest changes of a mixture after which another candidate is the fastest."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Literal

import numpy as np

from orchestrator.shared.errors import NoData
from orchestrator.statistics.location import locate
from orchestrator.statistics.mixtures.cost import Mixture, Times
from orchestrator.statistics.power import floor_of_comparison

Kind = Literal["share", "length", "key-changes"]
MAX_KEY_CHANGES = 1.0
"""Key changes per message up to which a change is searched, unless there are more already."""
GRID = 48
"""Steps in which lengths are scaled in search of the first change."""
BISECTIONS = 24


@dataclass(frozen=True)
class MixtureChange:
    """One value of a mixture changed so far that the fastest candidate and another one cost the same."""

    kind: Kind
    length_bytes: int | None
    """Length whose share changes; None for the other kinds."""
    before: float
    """Share of the length, factor on all lengths (1), or key changes per message."""
    after: float
    """Value at which both cost the same, by their typical times."""
    winner: str
    """Candidate that is the fastest beyond it."""
    undecided_from: float
    """Value from which the data do not distinguish the two, between before and after."""
    undecided_to: float | None
    """Value from which the other one is faster; None if no value of the range shows that."""


@dataclass(frozen=True)
class _Path:
    """Changes of one value in one direction."""

    kind: Kind
    length_bytes: int | None
    start: float
    end: float
    at: Callable[[float], Mixture]

    def distance(self, value: float) -> float:
        """Return how far a value is from the start; factors by their logarithm."""
        return abs(math.log(value / self.start)) if self.kind == "length" else abs(value - self.start)

    def steps(self) -> list[float]:
        """Return the values at which costs are compared: two suffice where the cost is linear in the value."""
        if self.kind != "length":
            return [self.start, self.end]
        return [float(value) for value in np.geomspace(self.start, self.end, GRID)]


def nearest_changes(leader: str, others: Iterable[str], times: Mapping[str, Times], mixture: Mixture,
                    noise_floor: float = 0.0) -> list[MixtureChange]:  # fmt: skip
    """Return the nearest change of each kind that makes one of the others as fast as the leader, nearest first.

    A kind without such a change within the measured lengths is absent. leader: the fastest candidate; others: those
    that a ranking distinguishes from it; all of them cover the mixture. The shares of the leader's measured lengths
    change from 0 to 1, the lengths of all messages by a factor that leaves none outside the measured ones, and the key
    changes from none to one per message. Costs are compared by typical times; the limits between which the data do not
    distinguish the two candidates come from the costs by block (location.locate), each for itself, 95 %.
    """
    found: dict[Kind, tuple[float, _Path, str, float]] = {}
    for other in others:
        pair = times[leader], times[other]
        for path in _paths(mixture, *pair):
            value = _crossing(path, *pair)
            if value is None:
                continue
            distance = path.distance(value)
            if path.kind not in found or distance < found[path.kind][0]:
                found[path.kind] = distance, path, other, value
    return [
        _change(path, value, other, partial(_outcome, path, times[leader], times[other], noise_floor))
        for _, path, other, value in sorted(found.values(), key=lambda one: one[0])
    ]


def _paths(mixture: Mixture, leader: Times, other: Times) -> Iterator[_Path]:
    low = max(leader.lengths_bytes[0], other.lengths_bytes[0])
    high = min(leader.lengths_bytes[-1], other.lengths_bytes[-1])
    for length in leader.lengths_bytes:
        share = mixture.share_of(length)
        if low <= length <= high:
            change = partial(mixture.with_share, float(length))
            if share < 1:
                yield _Path("share", length, share, 1.0, change)
                if share > 0:
                    yield _Path("share", length, share, 0.0, change)
    shortest, longest = mixture.lengths_bytes[0], mixture.lengths_bytes[-1]
    if longest > 0 and high > longest:
        yield _Path("length", None, 1.0, high / longest, mixture.scaled)
    if shortest > low > 0:
        yield _Path("length", None, 1.0, low / shortest, mixture.scaled)
    if leader.key_setup_ns is not None and other.key_setup_ns is not None:
        change = partial(Mixture, mixture.lengths_bytes, mixture.shares)
        now = mixture.key_changes
        yield _Path("key-changes", None, now, max(MAX_KEY_CHANGES, 2 * now), change)
        if now > 0:
            yield _Path("key-changes", None, now, 0.0, change)


def _crossing(path: _Path, leader: Times, other: Times) -> float | None:
    """Return the first value at which the other one costs as little as the leader; None without one."""

    def _lead(value: float) -> float:
        mixture = _within(path.at(value), leader, other)
        return other.cost_ns(mixture) - leader.cost_ns(mixture)

    steps = path.steps()
    for before, after in pairwise(steps):
        if _lead(after) < 0:
            return _bisected(before, after, lambda value: _lead(value) > 0)
    return None


def _within(mixture: Mixture, *times: Times) -> Mixture:
    """Return the mixture without the rounding errors that put a scaled length outside the measured ones."""
    low, high = max(one.lengths_bytes[0] for one in times), min(one.lengths_bytes[-1] for one in times)
    lengths = tuple(min(max(length, low), high) for length in mixture.lengths_bytes)
    return Mixture(lengths, mixture.shares, mixture.key_changes)


def _change(path: _Path, value: float, other: str, outcome: Callable[[float], int]) -> MixtureChange:
    first = path.start
    if outcome(path.start) > 0:
        first = _bisected(path.start, value, lambda one: outcome(one) > 0)
    last = None
    if outcome(path.end) < 0:
        last = _bisected(value, path.end, lambda one: outcome(one) >= 0)
    return MixtureChange(path.kind, path.length_bytes, path.start, value, other, first, last)


def _bisected(inside: float, outside: float, holds: Callable[[float], bool]) -> float:
    """Return the value up to which a condition holds, between one where it does and one where it does not."""
    for _ in range(BISECTIONS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return (inside + outside) / 2


def _outcome(path: _Path, leader: Times, other: Times, noise_floor: float, value: float) -> int:
    """Return 1 where the leader is faster, -1 where the other one is, and 0 where the data do not decide."""
    mixture = _within(path.at(value), leader, other)
    ratios = np.log(other.sums_ns(mixture)) - np.log(leader.sums_ns(mixture))
    try:
        found = locate(ratios[np.isfinite(ratios)])
    except NoData:
        return 0
    slack = math.log1p(floor_of_comparison(noise_floor, found.n, 1))
    slack += sum(math.log1p(one.interpolation_error(mixture).above) for one in (leader, other))
    if found.interval is None or abs(found.middle) <= slack or found.interval.low <= 0 <= found.interval.high:
        return 0
    return 1 if found.middle > 0 else -1
