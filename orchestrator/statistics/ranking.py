"""Ranking of candidates with shared ranks for ties, corrected for the number of comparisons."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from orchestrator.statistics.holm import holm
from orchestrator.statistics.location import Floats
from orchestrator.statistics.paired import Comparison, Verdict, compare, verdict_of
from orchestrator.statistics.winsorize import medians_of


@dataclass(frozen=True)
class Place:
    """Place of a candidate in a ranking."""

    name: str
    rank: int  # 1 is the fastest; tied candidates share the rank, the next one counts them (1, 1, 3)
    tied: bool  # with another candidate of this rank
    behind_leader: Comparison | None  # ratio of the fastest of all to this one; None for the fastest itself
    adjusted_p: float | None  # of that comparison, by Holm over the whole family; None if it has no p
    undecided: bool  # shares its rank because of too few blocks, not because of a tie


@dataclass(frozen=True)
class Field:
    """Candidates that compete with each other, and their noise floor."""

    candidates: Mapping[str, Floats]  # name → throughputs (blocks, inputs) as in paired.compare
    noise_floor: float = 0.0


@dataclass(frozen=True)
class Ranking:
    """Places of each field, and the number of comparisons behind them."""

    places: Mapping[str, list[Place]]
    comparisons: int


def rank(candidates: Mapping[str, Floats], *, noise_floor: float = 0.0) -> list[Place]:
    """Return the places of one field, from fastest to slowest, with tied groups."""
    return rank_together({"": Field(candidates, noise_floor)}).places[""]


def rank_together(fields: Mapping[str, Field]) -> Ranking:
    """Return the places of each field from fastest to slowest, as one family of comparisons.

    Each candidate of a field has at least one result for each input. A group begins with the fastest candidate without
    a place and takes the following ones until the first that differs from the group's first member, so that a group is
    consecutive. Every candidate is also compared with the fastest. Differences are decided by p-values adjusted for all
    comparisons of all fields (holm). A larger family makes longer groups, which require further comparisons, so the
    ranking is repeated until no new comparison is required; all pairs are the maximum.
    """
    family = _Family(fields)
    while True:
        known = len(family.comparisons)
        places = {name: _places(family, name) for name in fields}
        if len(family.comparisons) == known:
            return Ranking(places, sum(one.p is not None for one in family.comparisons.values()))
        family.adjust()


def center(throughputs: Floats) -> float:
    """Return the mean over inputs of the median over blocks of ln(throughput), by which candidates are ordered.

    throughputs: shape (blocks, inputs), NaN for a missing result, at least one result for each input.
    """
    return float(medians_of(np.log(throughputs)).mean())


_Pair = tuple[str, str, str]
"""Field, first, second."""


class _Family:
    """Comparisons made so far, with p-values adjusted for their number."""

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self._fields = fields
        self.comparisons: dict[_Pair, Comparison] = {}
        self.adjusted: dict[_Pair, float] = {}

    def order(self, field: str) -> list[str]:
        """Return the names of a field, fastest first."""
        candidates = self._fields[field].candidates
        return sorted(candidates, key=lambda name: (-center(candidates[name]), name))

    def compare(self, pair: _Pair) -> Comparison:
        """Return the comparison of two candidates, which is made only once."""
        if pair not in self.comparisons:
            field = self._fields[pair[0]]
            first, second = (field.candidates[name] for name in pair[1:])
            self.comparisons[pair] = compare(first, second, noise_floor=field.noise_floor)
        return self.comparisons[pair]

    def verdict(self, pair: _Pair) -> Verdict:
        """Return the verdict on two candidates; before the first adjustment, that of their comparison alone."""
        found = self.compare(pair)
        p = found.p if found.p is None else self.adjusted.get(pair, found.p)
        return verdict_of(float(np.log(found.ratio)), p, found.noise_floor)

    def adjust(self) -> None:
        """Adjust the p-values of all comparisons."""
        with_p = {pair: one.p for pair, one in self.comparisons.items() if one.p is not None}
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
