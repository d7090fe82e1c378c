"""An order of candidates in which what cannot be told apart shares a rank."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from orchestrator.statistics.paired import Comparison, Floats, compare


@dataclass(frozen=True)
class Place:
    """Where a candidate stands."""

    name: str
    rank: int  # 1 is the fastest; tied candidates share the rank, the next one counts them (1, 1, 3)
    tied: bool  # with another candidate of this rank
    behind_leader: Comparison | None  # the fastest of all over this one; None for the fastest itself
    undecided: bool  # it shares its rank because there are too few blocks, not because a tie was shown


def rank(candidates: Mapping[str, Floats], *, noise_floor: float = 0.0) -> list[Place]:
    """Return the candidates from fastest to slowest, with tied groups.

    candidates: name → throughputs of shape (blocks, inputs) as in paired.compare; every candidate has at least one
    result for each input. A group begins with the fastest candidate not placed yet and takes the following ones
    until the first that differs from the group's first member, so each group is a row of neighbours.
    """
    field = _Field(candidates, noise_floor)
    order = sorted(candidates, key=lambda name: (-centre(candidates[name]), name))
    places: list[Place] = []
    while len(places) < len(order):
        places += _group(field, order, len(places))
    return places


def centre(throughputs: Floats) -> float:
    """Return the mean over inputs of the median over blocks of ln(throughput): what candidates are ordered by.

    throughputs: shape (blocks, inputs), NaN where there is no result, at least one result for each input.
    """
    return float(np.nanmedian(np.log(throughputs), axis=0).mean())


@dataclass(frozen=True)
class _Field:
    """Everybody who competes, and under which rules."""

    candidates: Mapping[str, Floats]
    noise_floor: float

    def compare(self, first: str, second: str) -> Comparison:
        """Compare two by name."""
        return compare(self.candidates[first], self.candidates[second], noise_floor=self.noise_floor)


def _group(field: _Field, order: list[str], start: int) -> list[Place]:
    first, leader = order[start], order[0]
    members: list[tuple[str, bool]] = [(first, False)]
    for name in order[start + 1 :]:
        verdict = field.compare(first, name).verdict
        if verdict == "different":
            break
        members.append((name, verdict == "undecided"))
    undecided = any(flag for _, flag in members)
    return [
        Place(
            name=name,
            rank=start + 1,
            tied=len(members) > 1,
            behind_leader=None if name == leader else field.compare(leader, name),
            undecided=flag or (name == first and undecided),
        )
        for name, flag in members
    ]
