"""Ranking of candidates by comparisons of every pair, corrected for their number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from orchestrator.statistics.holm import holm
from orchestrator.statistics.incomplete import Flags, Level, levels, overlap
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import MIN_FOR_INTERVAL
from orchestrator.statistics.paired import SIGNIFICANCE, Comparison, Verdict, compare_shared
from orchestrator.statistics.power import FLOOR_BLOCKS
from orchestrator.statistics.rankings.front import Front, Order, front
from orchestrator.statistics.rankings.groups import groups_of
from orchestrator.statistics.rankings.pairs import Pairs, test_pairs

Doubt = Literal["blocks", "inputs", "contradiction", "errors"]
"""Why a difference is undecided: fewer than 6 shared blocks; too few shared inputs; over the inputs that both have, the
candidate with the lower level is faster; the difference is within the errors of the two."""
_DOUBTS: tuple[Doubt, ...] = ("blocks", "inputs", "contradiction", "errors")
_BLOCKS, _INPUTS, _CONTRADICTION, _ERRORS, _TIE, _DIFFERENT = range(6)
_Outcomes = NDArray[np.int8]
"""Outcomes by their numbers, symmetric, shape (candidates, candidates), in the order of the candidates."""


@dataclass(frozen=True)
class Undecided:
    """The first of the candidates with which a comparison is undecided."""

    name: str
    doubt: Doubt
    others: int  # further candidates with which one is undecided


@dataclass(frozen=True)
class Place:
    """Place of a candidate in a ranking."""

    name: str
    rank: int  # 1 + the number of candidates that are proven faster
    last_rank: int  # number of candidates - those that are proven slower; the true rank is between the two
    groups: tuple[str, ...]  # two candidates have a letter in common exactly if no difference between them is proven
    level: Level | None  # speed over all inputs of the field, in whose order candidates are placed; None: exact values
    verdict: Verdict | None  # of the comparison with the first; None for the first itself
    behind_leader: Comparison | None  # ratio of the first of all to this one; None for itself and without an input
    adjusted_p: float | None  # of that comparison, by Holm over the whole family; None if it is not part of it
    undecided: Undecided | None  # None if every difference to another one is either proven or within chance


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
    """Return the places of one field, from fastest to slowest."""
    return rank_together({"": Field(candidates, noise_floor)}).places[""]


def rank_together(fields: Mapping[str, Field | ExactField], fronts: Sequence[tuple[str, ...]] = ()) -> Ranking:
    """Return the places of each field from fastest to slowest, as one family of comparisons.

    fronts: names of fields of the same candidates with different measures; the Pareto front over them is made of those
    that all of them contain, by the same comparisons. Exact values need no p-value and are no part of the family.

    The candidates of a field are ordered by their level over all its inputs (incomplete.levels), and every pair is
    compared over the inputs and blocks that both have. "No difference" is not transitive: a first candidate may not
    differ from a noisy third one, although the second, between them, does. So no rank is shared. A candidate has the
    first and the last rank that are left to it by the pairs that differ: as at most 5 % of families have a false
    difference, all true ranks of at least 95 % of families are within theirs. Letters show each pair (groups_of).

    The data decide the order, so the family is every pair of all fields that can be compared: 20 equal candidates
    compared with their fastest alone have a false difference in 10 % of rankings, corrected for 19 comparisons.
    2 000 simulated fields of equal candidates for each of 3 designs, with inputs and executions missing, had at least
    one false difference in 4.1 to 5.7 %, most with 6 blocks; 400 for each of 4 further ones 1.8 to 4.5 %. In 87 % of
    200 fields, 3 % more speed than 6 others was found in all six comparisons by 20 blocks (bench/ranking_errors.py).
    Source: Klein, Wright and Wieczorek, A Joint Confidence Region for an Overall Ranking of Populations, Journal of the
    Royal Statistical Society C 69 (2020); Mogstad, Romano, Shaikh and Wilhelm, Inference for Ranks, Review of Economic
    Studies 91 (2024).
    """
    contests = {
        name: _ExactContest(field) if isinstance(field, ExactField) else _Contest(field)
        for name, field in fields.items()
    }
    measured = [one for one in contests.values() if isinstance(one, _Contest)]
    adjusted: Sequence[float] = holm([float(p) for one in measured for p in one.p_values()])
    for one in measured:
        adjusted = one.adjust(adjusted)
    places = {name: _places(contest) for name, contest in contests.items()}
    comparisons = sum(one.size for one in measured)
    return Ranking(places, comparisons, {names: _front([contests[one] for one in names]) for names in fronts})


class _ExactContest:
    """One field of exact values."""

    def __init__(self, field: ExactField) -> None:
        self.order = sorted(field.values, key=lambda name: (field.values[name], name))
        self.index = {name: place for place, name in enumerate(self.order)}
        values = np.array([field.values[name] for name in self.order])
        self.outcomes: _Outcomes = np.where(values[:, None] == values[None, :], _TIE, _DIFFERENT).astype(np.int8)

    def level(self, name: str) -> None:
        """Return no level: an exact value has no distribution."""

    def behind_leader(self, name: str) -> None:
        """Return no comparison: an exact value has none."""

    def adjusted_p(self, name: str) -> None:
        """Return no p-value."""


class _Contest:
    """One field with the levels of its candidates and the tests of every pair."""

    def __init__(self, field: Field) -> None:
        self._field = field
        self._levels = levels(field.candidates) if field.candidates else {}
        self.order = sorted(self._levels, key=lambda name: (-self._levels[name].middle, name))
        self.index = {name: place for place, name in enumerate(self.order)}
        count = len(self.order)
        self.outcomes: _Outcomes = np.full((count, count), _INPUTS, dtype=np.int8)
        self._tested: Flags = np.zeros((count, count), dtype=bool)
        self._adjusted = np.full((count, count), np.nan)
        if count:
            self._pairs = self._test([field.candidates[name] for name in self.order])

    def _test(self, speeds: Sequence[Floats]) -> Pairs:
        """Test every pair that shares enough, and note what the others lack."""
        shared = overlap(speeds)
        self._tested = np.triu(shared.comparable & (shared.blocks >= MIN_FOR_INTERVAL), 1)
        self.outcomes[shared.comparable] = _BLOCKS
        share = np.minimum(1.0, FLOOR_BLOCKS / np.maximum(shared.blocks * shared.inputs, 1))
        self._floors: Floats = np.log1p(self._field.noise_floor) * np.sqrt(share)
        errors = np.log1p([(self._field.errors or {}).get(name, 0.0) for name in self.order])
        self._slack: Floats = errors[:, None] + errors[None, :]
        return test_pairs(np.log(np.stack(speeds)), self._tested, np.maximum(self._floors, self._slack))

    @property
    def size(self) -> int:
        """Number of pairs that have a p-value."""
        return int(self._tested.sum())

    def p_values(self) -> Floats:
        """Return the p-values of the tested pairs."""
        return self._pairs.p[self._tested] if self.order else np.zeros(0)

    def adjust(self, adjusted: Sequence[float]) -> Sequence[float]:
        """Set the outcomes by the adjusted p-values of the tested pairs, the first ones; return the further ones."""
        if self.order:
            self._adjusted[self._tested] = adjusted[: self.size]
            ratios, differs = self._pairs.log_ratios, self._tested & (self._adjusted <= SIGNIFICANCE)
            self.outcomes[self._tested] = _TIE
            self.outcomes[differs & (np.abs(ratios) > self._floors)] = _DIFFERENT
            different = self.outcomes == _DIFFERENT
            self.outcomes[different & (ratios < 0)] = _CONTRADICTION
            self.outcomes[different & (np.abs(ratios) <= self._slack)] = _ERRORS
            self.outcomes = np.triu(self.outcomes, 1) + np.triu(self.outcomes, 1).T
            np.fill_diagonal(self.outcomes, _TIE)
        return adjusted[self.size :]

    def level(self, name: str) -> Level:
        """Return the speed of a candidate over all inputs."""
        return self._levels[name]

    def behind_leader(self, name: str) -> Comparison | None:
        """Return the comparison of the first candidate with this one; None if they have nothing in common."""
        speeds = self._field.candidates
        return compare_shared(speeds[self.order[0]], speeds[name], noise_floor=self._field.noise_floor)

    def adjusted_p(self, name: str) -> float | None:
        """Return the adjusted p-value of that comparison; None if it is not part of the family."""
        pair = 0, self.index[name]
        return float(self._adjusted[pair]) if self._tested[pair] else None


def _places(contest: _ExactContest | _Contest) -> list[Place]:
    """Return the places in the order of the contest, which has the faster of two candidates first."""
    order, outcomes = contest.order, contest.outcomes
    faster = np.triu(outcomes == _DIFFERENT, 1)
    groups = groups_of(outcomes != _DIFFERENT)
    return [
        Place(
            name=name,
            rank=1 + int(faster[:, place].sum()),
            last_rank=len(order) - int(faster[place].sum()),
            groups=groups[place],
            level=contest.level(name),
            verdict=_verdict(outcomes[0, place]) if place else None,
            behind_leader=contest.behind_leader(name) if place else None,
            adjusted_p=contest.adjusted_p(name) if place else None,
            undecided=_undecided(order, outcomes[place]),
        )
        for place, name in enumerate(order)
    ]


def _verdict(outcome: int) -> Verdict:
    return "different" if outcome == _DIFFERENT else "tie" if outcome == _TIE else "undecided"


def _undecided(order: Sequence[str], outcomes: _Outcomes) -> Undecided | None:
    found = np.flatnonzero(outcomes < _TIE)
    return Undecided(order[found[0]], _DOUBTS[outcomes[found[0]]], len(found) - 1) if found.size else None


def _front(contests: Sequence[_ExactContest | _Contest]) -> Front:
    """Return the Pareto front of the candidates that all these fields contain."""
    names = [name for name in contests[0].order if all(name in one.index for one in contests)]
    return front(names, lambda one, other: [_order(contest, one, other) for contest in contests])


def _order(contest: _ExactContest | _Contest, first: str, second: str) -> Order:
    """Return how the first compares with the second, whichever of them is placed first."""
    one, other = contest.index[first], contest.index[second]
    verdict = _verdict(contest.outcomes[one, other])
    return ("better" if one < other else "worse") if verdict == "different" else verdict
