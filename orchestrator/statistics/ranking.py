"""An order of candidates in which what cannot be told apart shares a rank, corrected for all that was compared."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from orchestrator.statistics.holm import holm
from orchestrator.statistics.location import Floats
from orchestrator.statistics.paired import Comparison, Verdict, compare, verdict_of
from orchestrator.statistics.winsorize import middles_of


@dataclass(frozen=True)
class Place:
    """Where a candidate stands."""

    name: str
    rank: int  # 1 is the fastest; tied candidates share the rank, the next one counts them (1, 1, 3)
    tied: bool  # with another candidate of this rank
    behind_leader: Comparison | None  # the fastest of all over this one; None for the fastest itself
    adjusted_p: float | None  # of that comparison, by Holm over the whole family; None where it has no p
    undecided: bool  # it shares its rank because there are too few blocks, not because a tie was shown


@dataclass(frozen=True)
class Field:
    """Candidates who compete with each other, and under which rule."""

    candidates: Mapping[str, Floats]  # name → throughputs (blocks, inputs) as in paired.compare
    noise_floor: float = 0.0


@dataclass(frozen=True)
class Ranking:
    """The places of each field, and in how many comparisons they were found."""

    places: Mapping[str, list[Place]]
    comparisons: int


def rank(candidates: Mapping[str, Floats], *, noise_floor: float = 0.0) -> list[Place]:
    """Return the candidates from fastest to slowest, with tied groups: one field alone."""
    return rank_together({"": Field(candidates, noise_floor)}).places[""]


def rank_together(fields: Mapping[str, Field]) -> Ranking:
    """Return the candidates of each field from fastest to slowest, as one family of comparisons.

    Each candidate of a field has at least one result for each input. A group begins with the fastest candidate not
    placed yet and takes the following ones until the first that differs from the group's first member, so each group
    is a row of neighbours; everybody is compared with the fastest, too. What differs is decided by p-values adjusted
    for all comparisons of all fields that were needed (holm). A larger family makes longer groups and these need
    further comparisons, so it is ranked again until no new one is asked for; all pairs are the most there can be.
    """
    family = _Family(fields)
    while True:
        known = len(family.made)
        places = {name: _places(family, name) for name in fields}
        if len(family.made) == known:
            return Ranking(places, sum(one.p is not None for one in family.made.values()))
        family.adjust()


def centre(throughputs: Floats) -> float:
    """Return the mean over inputs of the median over blocks of ln(throughput): what candidates are ordered by.

    throughputs: shape (blocks, inputs), NaN where there is no result, at least one result for each input.
    """
    return float(middles_of(np.log(throughputs)).mean())


_Pair = tuple[str, str, str]
"""Field, first, second."""


class _Family:
    """The comparisons made so far, with p-values adjusted for their number."""

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self._fields = fields
        self.made: dict[_Pair, Comparison] = {}
        self.adjusted: dict[_Pair, float] = {}

    def order(self, field: str) -> list[str]:
        """Return the names of a field, fastest first."""
        candidates = self._fields[field].candidates
        return sorted(candidates, key=lambda name: (-centre(candidates[name]), name))

    def compare(self, pair: _Pair) -> Comparison:
        """Compare two by name, once."""
        if pair not in self.made:
            field = self._fields[pair[0]]
            first, second = (field.candidates[name] for name in pair[1:])
            self.made[pair] = compare(first, second, noise_floor=field.noise_floor)
        return self.made[pair]

    def verdict(self, pair: _Pair) -> Verdict:
        """Return what two amount to; before the first adjustment, what they would amount to alone."""
        found = self.compare(pair)
        p = found.p if found.p is None else self.adjusted.get(pair, found.p)
        return verdict_of(float(np.log(found.ratio)), p, found.noise_floor)

    def adjust(self) -> None:
        """Adjust the p-values of everything that was compared."""
        with_p = {pair: one.p for pair, one in self.made.items() if one.p is not None}
        self.adjusted = dict(zip(with_p, holm(list(with_p.values())), strict=True))


def _places(family: _Family, field: str) -> list[Place]:
    order = family.order(field)
    places: list[Place] = []
    while len(places) < len(order):
        places += _group(family, field, order, len(places))
    return places


def _group(family: _Family, field: str, order: list[str], start: int) -> list[Place]:
    first, leader = order[start], order[0]
    members: list[tuple[str, bool]] = [(first, False)]
    for name in order[start + 1 :]:
        verdict = family.verdict((field, first, name))
        if verdict == "different":
            break
        members.append((name, verdict == "undecided"))
    undecided = any(flag for _, flag in members)
    return [
        Place(
            name=name,
            rank=start + 1,
            tied=len(members) > 1,
            behind_leader=None if name == leader else family.compare((field, leader, name)),
            adjusted_p=family.adjusted.get((field, leader, name)),
            undecided=flag or (name == first and undecided),
        )
        for name, flag in members
    ]
