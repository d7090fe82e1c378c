"""Pareto front: the candidates that no other one beats in a measure without losing to it in another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Order = Literal["better", "worse", "tie", "undecided"]
"""How a candidate compares with another one in one measure."""
Compare = Callable[[str, str], Sequence[Order]]
"""How the first candidate compares with the second one, in each measure."""


@dataclass(frozen=True)
class Front:
    """Pareto front of a field of candidates."""

    members: tuple[str, ...]  # in the order in which the candidates were given
    dominated: Mapping[str, str]  # every other candidate → a member that dominates it
    ties: Mapping[str, tuple[str, ...]]  # member → members that tie with it in every measure


def dominates(orders: Sequence[Order]) -> bool:
    """Return whether a candidate dominates another one: better in a measure, and better or tied in every other.

    An undecided measure may hide an advantage of the other one, so that it excludes nothing.
    """
    return "better" in orders and all(order in ("better", "tie") for order in orders)


def front(names: Sequence[str], compare: Compare) -> Front:
    """Return the Pareto front of the candidates, which is empty only without candidates.

    names: in the order of the first measure, best first, so that most comparisons are with few members. compare is
    called for a candidate and the members at that moment, not for every pair. A tie is no equality: A may tie with B
    and B with C while A and C differ. Each excluded candidate is therefore listed with a member that dominates it
    itself; one whose dominator left the front returns if no member dominates it.
    Source: Kung, Luccio and Preparata, On Finding the Maxima of a Set of Vectors, Journal of the ACM 22 (1975).
    """
    members: list[str] = []
    dominated: dict[str, str] = {}
    for name in names:
        winner = _dominator(name, members, compare)
        if winner is not None:
            dominated[name] = winner
            continue
        losers = [one for one in members if dominates(compare(name, one))]
        members = [one for one in members if one not in losers] + [name]
        dominated |= dict.fromkeys(losers, name)
    for name in [one for one, winner in dominated.items() if winner not in members]:
        winner = _dominator(name, members, compare)
        if winner is None:
            del dominated[name]
            members.append(name)
        else:
            dominated[name] = winner
    place = {name: number for number, name in enumerate(names)}
    members.sort(key=place.__getitem__)
    return Front(tuple(members), dominated, _ties(members, compare))


def _dominator(name: str, members: Sequence[str], compare: Compare) -> str | None:
    """Return the first member that dominates the candidate."""
    return next((one for one in members if dominates(compare(one, name))), None)


def _ties(members: Sequence[str], compare: Compare) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(one for one in members if one != name and all(order == "tie" for order in compare(name, one)))
        for name in members
    }
