"""Repetition of a bundle: its plan with its seed for another run, and where the two runs differ."""

from typing import Any

from sqlalchemy.orm import Session

from orchestrator.database.models import Run
from orchestrator.papers.bundle.opening import OpenedBundle
from orchestrator.papers.bundle.verifying import verdicts_of
from orchestrator.papers.schemas import PaperVerdicts
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.comparisons.schemas import RunComparison
from orchestrator.results.comparisons.service import Source, common_measures, compare_sources, require_measure
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.shared.errors import Conflict, InvalidRequest
from orchestrator.shared.values.models import LazyModel


class Repetition(LazyModel):
    """Another run next to the run of a bundle."""

    run_id: str
    verdicts: PaperVerdicts
    """Verdicts of the other run."""
    comparisons: list[RunComparison]
    """The other run / the bundle, for each measure; the cases of all measures are corrected together (Holm)."""


def plan_of(bundle: OpenedBundle) -> dict[str, Any]:
    """Return the plan of the bundle's run with the seed that the run had."""
    with bundle.rows.read() as session:
        run = session.get_one(Run, bundle.description.run_id)
        return {**run.plan, "seed": run.seed}


def compare_with(
    bundle: OpenedBundle,
    other: OpenedBundle,
    *,
    part: str = "",
    other_part: str = "",
    measure: RankingMeasure | None = None,
    rows: int,
) -> Repetition:
    """Return how another run compares with a bundle, case by case, by the two-sample comparison of runs.

    part, other_part: what is compared of each, such as `agent=pi4`; everything if empty. measure: by default the first
    one of each protocol that both have. Raises InvalidRequest for the same run, and Conflict if they share no case.
    """
    if bundle.description.run_id == other.description.run_id:
        raise InvalidRequest(
            f"Run {other.description.run_id} is the run in the bundle, so that nothing was repeated.",
            remedy="Repeat it and name the new run: ciphermark papers repeat BUNDLE.",
            field="against",
        )
    with bundle.rows.read() as session, other.rows.read() as other_session:
        sources = [_source(session, bundle, part), _source(other_session, other, other_part)]
        measures = common_measures(sources)
        require_measure(measure, measures)
        chosen = [measure] if measure else _first_of_each_protocol(measures)
        try:
            comparisons = compare_sources(sources, chosen, rows)
        except Conflict as refused:
            raise Conflict(
                refused.detail, remedy=f"{refused.remedy} A part of the bundle is selected by --part agent=NAME."
            ) from refused
    return Repetition(run_id=other.description.run_id, verdicts=verdicts_of(other), comparisons=comparisons)


def _source(session: Session, bundle: OpenedBundle, part: str) -> Source:
    return Source.of(session, ReadingsCache(), ",".join(one for one in (bundle.description.run_id, part) if one))


def _first_of_each_protocol(measures: list[RankingMeasure]) -> list[RankingMeasure]:
    """Return the default measure of whole processes and that of calls, so that each case is compared."""
    found = dict[str, RankingMeasure]()
    for one in measures:
        if MEASURES[one].protocol != "either":
            found.setdefault(MEASURES[one].protocol, one)
    return list(found.values()) or measures[:1]
