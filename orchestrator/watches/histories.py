"""Values of a few cases over the latest looks of a watch, with the intervals of single runs."""

import math
from collections.abc import Sequence

import numpy as np
from sqlalchemy.orm import Session

from orchestrator.database.models import Watch
from orchestrator.results.answers.agents import WITHDRAWN
from orchestrator.service.trust.repository import distrusted_agents
from orchestrator.statistics.comparisons.between_runs import MIN_FORMER
from orchestrator.statistics.distributions import student_quantile
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import CONFIDENCE
from orchestrator.watches import repository
from orchestrator.watches.cases import case_label, values_table
from orchestrator.watches.schemas import CaseHistory, CasePoint, WatchedCase

SHOWN_CASES = 8


def histories(session: Session, watch: Watch, changes: Sequence[tuple[str, int]], looks: int) -> list[CaseHistory]:
    """Return the cases with changes, the latest first, those that vary most, and withdrawn ones without their values.

    changes: label of the case and number of the look, newest first.
    """
    former = repository.former_looks(session, watch.id, watch.measure or "", watch.looks + 1, looks)
    rows = repository.cases_of(session, watch.id)
    if not former or not rows:
        return []
    cases = [WatchedCase.model_validate(row.facts) for row in rows]
    labels = [case_label(case) for case in cases]
    table = values_table([look.values for look in former], [row.id for row in rows])
    halves = [run_half_width(table[:, place]) for place in range(len(rows))]
    distrusted = distrusted_agents(session)
    latest = {label: place for place, (label, _) in reversed(list(enumerate(changes)))}
    order = sorted(range(len(rows)), key=lambda one: (latest.get(labels[one], len(latest)), -(halves[one] or 0.0)))
    trusted = [one for one in order if cases[one].agent_id not in distrusted]
    withdrawn = [one for one in range(len(rows)) if cases[one].agent_id in distrusted]
    reported = set(changes)
    shown = [
        CaseHistory(
            case=cases[place],
            case_words=labels[place],
            points=_points([look.number for look in former], table[:, place], halves[place], labels[place], reported),
        )
        for place in trusted[:SHOWN_CASES]
    ]
    return shown + [
        CaseHistory(case=cases[place], case_words=labels[place], points=[], reason=WITHDRAWN) for place in withdrawn
    ]


def run_half_width(values: Floats) -> float | None:
    """Return half the width of the 95 % interval of one run, in the unit of the values; None below 5 of them.

    The variation is that of the differences of consecutive runs, which a change of the level raises only once.
    Source: von Neumann et al., The Mean Square Successive Difference, Annals of Mathematical Statistics 12 (1941).
    """
    known = values[np.isfinite(values)]
    if len(known) < MIN_FORMER:
        return None
    variance = float((np.diff(known) ** 2).mean()) / 2
    return student_quantile(0.5 + CONFIDENCE / 2, len(known) - 1) * math.sqrt(variance)


def _points(
    numbers: Sequence[int], values: Floats, half: float | None, label: str, reported: set[tuple[str, int]]
) -> list[CasePoint]:
    known = np.isfinite(values)
    middle = float(values[known].mean()) if known.any() else 0.0
    return [
        CasePoint(
            look=number,
            ratio=math.exp(value - middle),
            low=None if half is None else math.exp(value - middle - half),
            high=None if half is None else math.exp(value - middle + half),
            reported=(label, number) in reported,
        )
        for number, value in zip(numbers, values, strict=True)
        if math.isfinite(value)
    ]
