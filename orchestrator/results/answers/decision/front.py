"""The Pareto front of an agent's candidates as a part of its answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.results.answers.decision.constant_time import timing_warning
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import FrontPoint, Interval, ParetoFront, RankingMeasure
from orchestrator.statistics.rankings.front import Front

NAMED = 4
"""Members of a front in its sentence; the table has all of them."""


@dataclass(frozen=True)
class Figures:
    """Figures of one measure by the candidate's name."""

    measure: RankingMeasure
    of: Mapping[str, tuple[float, Interval | None]]


@dataclass(frozen=True)
class Identity:
    """Name of a candidate: as fields of a schema, and as a label for users."""

    fields: Mapping[str, Any]
    label: str


def front_of(found: Front, identities: Mapping[str, Identity], first: Figures, second: Figures) -> ParetoFront:
    """Return the front with the figures of both measures."""
    labels = {name: one.label for name, one in identities.items()}

    def _point(name: str) -> FrontPoint:
        dominator = found.dominated.get(name)
        value, interval = first.of[name]
        against_value, against_interval = second.of[name]
        return FrontPoint(
            **identities[name].fields,
            value=value,
            interval=interval,
            against_value=against_value,
            against_interval=against_interval,
            on_front=dominator is None,
            dominated_by=None if dominator is None else labels[dominator],
            tied_with=[labels[one] for one in found.ties.get(name, ())],
        )

    points = [_point(name) for name in (*found.members, *found.dominated)]
    members = [f"{one.algorithm} by {one.provider}" for one in points if one.on_front]
    summary = _sentence(members, len(points), MEASURES[first.measure].title, MEASURES[second.measure].title)
    return ParetoFront(
        against=second.measure,
        unit=MEASURES[second.measure].unit,
        points=points,
        sentence=summary + timing_warning([one for one in points if one.on_front]),
    )


def _sentence(members: list[str], count: int, first: str, second: str) -> str:
    if not members:
        return f"No candidate has a {first} and a {second} that can be compared."
    names = list(dict.fromkeys(members))
    shown = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    if len(members) == count:
        return f"No candidate dominates another one in {first} and {second}: {shown}."
    return (
        f"{len(members)} of {count} candidates are on the Pareto front of {first} and {second}: {shown}. "
        "Each other candidate is worse than one of them in one measure and not better in the other."
    )
