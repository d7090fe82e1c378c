"""The Pareto front of an agent's candidates as a part of its answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from orchestrator.results.answers.decision.constant_time import timing_warning
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.results.schemas import FrontPoint, ParetoFront
from orchestrator.shared.values.text import some
from orchestrator.statistics.rankings.front import Front

NAMED = 4
"""Members of a front in its sentence; the table has all of them."""


def front_of(
    found: Front,
    identities: Mapping[str, Mapping[str, Any]],
    labels: Mapping[str, str],
    measures: tuple[RankingMeasure, RankingMeasure],
    figures: Sequence[Mapping[str, Mapping[str, Any]]],
) -> ParetoFront:
    """Return the front with the figures of both measures.

    identities: fields of schemas.TimedCandidateFields by the candidates' names; labels: the same for users. figures: of
    each measure, by these names.
    """

    def _point(name: str) -> FrontPoint:
        dominator = found.dominated.get(name)
        first, second = (of_measure[name] for of_measure in figures)
        return FrontPoint(
            **identities[name],
            value=first["value"],
            interval=first.get("interval"),
            against_value=second["value"],
            against_interval=second.get("interval"),
            on_front=dominator is None,
            dominated_by=None if dominator is None else labels[dominator],
            tied_with=[labels[one] for one in found.ties.get(name, ())],
        )

    points = [_point(name) for name in (*found.members, *found.dominated)]
    members = [f"{one.algorithm} by {one.provider}" for one in points if one.on_front]
    first, second = (MEASURES[measure] for measure in measures)
    summary = _sentence(members, len(points), first.title, second.title)
    return ParetoFront(
        against=measures[1],
        unit=second.unit,
        points=points,
        sentence=summary + timing_warning([one for one in points if one.on_front]),
    )


def _sentence(members: list[str], count: int, first: str, second: str) -> str:
    if not members:
        return f"No candidate can be compared by both {first} and {second}."
    shown = some(list(dict.fromkeys(members)), NAMED)
    if len(members) == count:
        return f"No candidate dominates another one in {first} and {second}: {shown}."
    return (
        f"{len(members)} of {count} candidates are on the Pareto front of {first} and {second}: {shown}. "
        "Each other candidate is worse than one of them in one measure and not better in the other."
    )
