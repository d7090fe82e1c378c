"""Cases of a run with their readings of a measure."""

import numpy as np
from sqlalchemy.orm import Session

from orchestrator.results.answers import repository as answers
from orchestrator.results.answers.facts import build_facts
from orchestrator.results.answers.readings import TIMES, ReadingsCache, RunReadings
from orchestrator.results.comparisons.sides import MeasuredCase
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import RankingMeasure


def compared_measures(readings: RunReadings) -> list[RankingMeasure]:
    """Return the measures by which the run can be compared."""
    return [measure for measure in readings.measures() if not MEASURES[measure].exact]


def readings_of(cache: ReadingsCache, run_id: str, measure: RankingMeasure | None) -> RunReadings:
    """Return the readings of a run that contain this measure, by default the times."""
    return cache.get(run_id, further=None if measure in TIMES else measure)


def measured_cases(session: Session, readings: RunReadings, measure: RankingMeasure) -> list[MeasuredCase]:
    """Return the cases with a reading of the measure; none of a candidate with wrong or disputed results."""
    candidates = readings.candidates(measure)
    agents = answers.agent_names(session, readings.agent_ids(measure))
    builds = build_facts(session, {candidate.build_id for candidate in candidates})
    return [
        MeasuredCase(candidate, given, values, agents[candidate.agent_id], builds[candidate.build_id].toolchain)
        for candidate, own in sorted(candidates.items(), key=lambda item: item[0])
        for given, values in sorted(own.of(measure).items(), key=lambda item: item[0])
        if np.isfinite(values).any() and not (own.counts.wrong or own.counts.disputed)
    ]
