"""Ranking of candidates with shared ranks for ties, corrected for the number of comparisons."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from orchestrator.errors import NoData
from orchestrator.statistics.holm import holm
from orchestrator.statistics.incomplete import Flags, Level, levels, overlap
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import MIN_FOR_INTERVAL
from orchestrator.statistics.paired import Comparison, compare, verdict_of
from orchestrator.statistics.rankings.front import Front, Order, front

Doubt = Literal["", "blocks", "inputs", "contradiction", "errors"]
"""Why a difference is undecided: fewer than 6 shared blocks; too few shared inputs; over the inputs that both have, the
candidate with the lower level is faster; the difference is within the errors of the two."""
Outcome = Literal["different", "tie", "blocks", "inputs", "contradiction", "errors"]


@dataclass(frozen=True)
class Place:
    """Place of a candidate in a ranking."""

    name: str
    rank: int  # 1 is the fastest; tied candidates share the rank, the next one counts them (1, 1, 3)
    tied: bool  # with another candidate of this rank
    level: Level | None  # speed over all inputs of the field, in whose order candidates are placed; None: exact values
    behind_leader: Comparison | None  # ratio of the fastest of all to this one; None for itself and without an input
    adjusted_p: float | None  # of that comparison, by Holm over the whole family; None if it is not part of it
    doubt: Doubt  # why it shares its rank without a tie; empty for a tie or a rank of its own

    @property
    def undecided(self) -> bool:
        """True if it shares its rank because the comparison cannot be decided, not because of a tie."""
        return self.doubt != ""


@dataclass(frozen=True)
class Field:
    """Candidates that compete with each other, and their noise floor."""

    candidates: Mapping[str, Floats]  # name → speeds (blocks, inputs), NaN for a missing result; incomplete.select
    noise_floor: float = 0.0
    errors: Mapping[str, float] | None = None
    """Relative error of a candidate's speeds that more blocks do not reduce: 0.01 is 1 %. None: no errors."""


@dataclass(frozen=True)
class ExactField:
    """Candidates with one exact value each, such as a code size: equal values tie, and others differ."""

    values: Mapping[str, float]  # name → value, smaller is better; may be 0


@dataclass(frozen=True)
class Ranking:
    """Places of each field, the Pareto fronts, and the size of the family of comparisons."""

    places: Mapping[str, list[Place]]
    comparisons: int
    fronts: Mapping[tuple[str, ...], Front]


def rank(candidates: Mapping[str, Floats], *, noise_floor: float = 0.0) -> list[Place]:
    """Return the places of one field, from fastest to slowest, with tied groups."""
    return rank_together({"": Field(candidates, noise_floor)}).places[""]


def rank_together(fields: Mapping[str, Field | ExactField], fronts: Sequence[tuple[str, ...]] = ()) -> Ranking:
    """Return the places of each field from fastest to slowest, as one family of comparisons.

    fronts: names of fields of the same candidates with different measures; the Pareto front over them is made of those
    that all of them contain, by the same comparisons. Exact values need no p-value and are no part of the family.

    The candidates of a field are ordered by their level over all its inputs (incomplete.levels) and compared pair by
    pair over the inputs and blocks that both have. A group begins with the fastest candidate without a place and takes
    the following ones until the first that differs from the group's first member, so that a group is consecutive. Every
    candidate is also compared with the fastest.

    The data decide which candidate is the fastest, so the family is every pair that can be compared, of all fields:
    20 equal candidates compared with their fastest alone have a false difference in 10 % of rankings, corrected for 19
    comparisons. Pairs that the ranking does not require count, but are not calculated (holm).
    1 000 simulated fields of equal candidates for each of 7 designs, with inputs and executions missing, had at least
    one false difference in 0.6 to 3.7 %; 3 % more speed than 6 others was found by 20 blocks in 96.5 % of 200 fields
    (bench/ranking_errors.py).
    """
    family = _Family(fields)
    while True:
        known = len(family.comparisons)
        places = {name: _places(family, name) for name in fields}
        found = {names: _front(family, names) for names in fronts}
        if len(family.comparisons) == known:
            return Ranking(places, family.size, found)
        family.adjust()


_Pair = tuple[str, str, str]
"""Field, first, second."""


class _ExactContest:
    """One field of exact values."""

    size = 0
    """Number of pairs that have a p-value."""

    def __init__(self, field: ExactField) -> None:
        self._values = field.values
        self.order = sorted(field.values, key=lambda name: (field.values[name], name))

    def level(self, name: str) -> None:
        """Return no level: an exact value has no distribution."""

    def verdict(self, first: str, second: str) -> Outcome:
        """Return whether the values differ."""
        return "tie" if self._values[first] == self._values[second] else "different"


class _Contest:
    """One field with the levels of its candidates and what they have in common."""

    def __init__(self, field: Field) -> None:
        self.noise_floor = field.noise_floor
        self._errors = field.errors or {}
        self.speeds = field.candidates
        self.levels = levels(field.candidates) if field.candidates else {}
        self.order = sorted(self.levels, key=lambda name: (-self.levels[name].middle, name))
        self._index = {name: place for place, name in enumerate(field.candidates)}
        self._comparable, self._decidable = self._pairs()

    def _pairs(self) -> tuple[Flags, Flags]:
        """Return which pairs share enough inputs, and which of them enough blocks for a p-value."""
        if not self.speeds:
            return np.zeros((0, 0), dtype=bool), np.zeros((0, 0), dtype=bool)
        shared = overlap(list(self.speeds.values()))
        return shared.comparable, shared.comparable & (shared.blocks >= MIN_FOR_INTERVAL)

    @property
    def size(self) -> int:
        """Number of pairs that have a p-value."""
        return int(np.triu(self._decidable, k=1).sum())

    def level(self, name: str) -> Level:
        """Return the speed of a candidate over all inputs."""
        return self.levels[name]

    def slack(self, first: str, second: str) -> float:
        """Return the logarithm of the ratio that the errors of two candidates explain."""
        return sum(math.log1p(self._errors.get(name, 0.0)) for name in (first, second))

    def doubt(self, first: str, second: str) -> Doubt:
        """Return why these two cannot be compared; empty if they can."""
        pair = self._index[first], self._index[second]
        if not self._comparable[pair]:
            return "inputs"
        return "" if self._decidable[pair] else "blocks"


class _Family:
    """Comparisons made so far, with p-values adjusted for all that are possible."""

    def __init__(self, fields: Mapping[str, Field | ExactField]) -> None:
        self.contests = {
            name: _ExactContest(field) if isinstance(field, ExactField) else _Contest(field)
            for name, field in fields.items()
        }
        self.size = sum(contest.size for contest in self.contests.values())
        self.places = {
            name: {one: place for place, one in enumerate(contest.order)} for name, contest in self.contests.items()
        }
        self.comparisons: dict[_Pair, Comparison | None] = {}
        self.adjusted: dict[_Pair, float] = {}

    def compare(self, pair: _Pair) -> Comparison | None:
        """Return the comparison of two candidates, which is made only once; None if they have nothing in common.

        Exact values have none.
        """
        contest = self.contests[pair[0]]
        if isinstance(contest, _ExactContest):
            return None
        if pair not in self.comparisons:
            first, second = (contest.speeds[name] for name in pair[1:])
            try:
                self.comparisons[pair] = compare(first, second, noise_floor=contest.noise_floor)
            except NoData:
                self.comparisons[pair] = None
        return self.comparisons[pair]

    def verdict(self, pair: _Pair) -> Outcome:
        """Return whether the first is faster than the second, both tie, or why that is undecided.

        Before the first adjustment, the comparison alone decides.
        """
        contest = self.contests[pair[0]]
        if isinstance(contest, _ExactContest):
            return contest.verdict(*pair[1:])
        doubt = contest.doubt(*pair[1:])
        found = self.compare(pair)
        if doubt or found is None:
            return doubt or "inputs"
        p = found.p if found.p is None else self.adjusted.get(pair, found.p)
        verdict = verdict_of(float(np.log(found.ratio)), p, found.noise_floor)
        if verdict == "undecided":
            return "blocks"
        if verdict == "different" and abs(math.log(found.ratio)) <= contest.slack(*pair[1:]):
            return "errors"
        return "contradiction" if verdict == "different" and found.ratio < 1 else verdict

    def adjust(self) -> None:
        """Adjust the p-values of all comparisons in which enough is shared."""
        with_p = {
            pair: one.p
            for pair, one in self.comparisons.items()
            if one is not None and one.p is not None and not self._doubt(pair)
        }
        self.adjusted = dict(zip(with_p, holm(list(with_p.values()), self.size), strict=True))

    def order_of(self, field: str, first: str, second: str) -> Order:
        """Return how the first compares with the second, whichever of them is placed first."""
        places = self.places[field]
        swapped = places[first] > places[second]
        verdict = self.verdict((field, second, first) if swapped else (field, first, second))
        if verdict == "different":
            return "worse" if swapped else "better"
        return "tie" if verdict == "tie" else "undecided"

    def _doubt(self, pair: _Pair) -> Doubt:
        contest = self.contests[pair[0]]
        return "" if isinstance(contest, _ExactContest) else contest.doubt(*pair[1:])


def _places(family: _Family, field: str) -> list[Place]:
    order = family.contests[field].order
    places: list[Place] = []
    while len(places) < len(order):
        places += _group(family, field, order, len(places))
    return places


def _front(family: _Family, fields: tuple[str, ...]) -> Front:
    """Return the Pareto front of the candidates that all these fields contain."""
    names = [name for name in family.contests[fields[0]].order if all(name in family.places[one] for one in fields)]
    return front(names, lambda one, other: [family.order_of(field, one, other) for field in fields])


def _group(family: _Family, field: str, order: list[str], start: int) -> list[Place]:
    first, leader = order[start], order[0]
    doubts: dict[str, Doubt] = {first: ""}
    for name in order[start + 1 :]:
        verdict = family.verdict((field, first, name))
        if verdict == "different":
            break
        doubts[name] = "" if verdict == "tie" else verdict
    # The first of a group that consists of undecided candidates alone is tied with none of them.
    others = [doubt for name, doubt in doubts.items() if name != first]
    doubts[first] = others[0] if others and all(others) else ""
    return [
        Place(
            name=name,
            rank=start + 1,
            tied=len(doubts) > 1,
            level=family.contests[field].level(name),
            behind_leader=None if name == leader else family.compare((field, leader, name)),
            adjusted_p=family.adjusted.get((field, leader, name)),
            doubt=doubt,
        )
        for name, doubt in doubts.items()
    ]
