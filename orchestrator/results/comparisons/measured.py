"""Cases of a run with their readings of a measure."""

from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy.orm import Session

from orchestrator.database.models import Case
from orchestrator.results.answers import repository as answers
from orchestrator.results.answers.agents import BuildFacts
from orchestrator.results.answers.facts import build_facts
from orchestrator.results.answers.readings import (
    Candidate,
    Input,
    RunReadings,
    candidate_of,
    input_of,
)
from orchestrator.results.comparisons.sides import MeasuredCase
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.statistics.location import Floats


def compared_measures(readings: RunReadings) -> list[RankingMeasure]:
    """Return the measures by which the run can be compared."""
    return [measure for measure in readings.measures() if not MEASURES[measure].exact]


def measured_cases(session: Session, readings: RunReadings, measure: RankingMeasure) -> list[MeasuredCase]:
    """Return the cases with a reading of the measure; none of a candidate with wrong or disputed results."""
    candidates = readings.candidates(measure)
    agents = answers.agent_names(session, readings.agent_ids(measure))
    builds = build_facts(answers.builds(session, {candidate.build_id for candidate in candidates}))
    return [
        _case(candidate, given, values, agents, builds)
        for candidate, own in sorted(candidates.items(), key=lambda item: item[0])
        for given, values in sorted(own.of(measure).items(), key=lambda item: item[0])
        if np.isfinite(values).any() and not (own.counts.wrong or own.counts.disputed)
    ]


def planned_cases(session: Session, run_id: str) -> list[MeasuredCase]:
    """Return all cases of a run, without their readings: those without a verified result, too."""
    cases = [case for case, _, _ in answers.cases_of_run(session, run_id)]
    return _without_readings(session, cases)


def verified_cases(session: Session, run_id: str) -> list[MeasuredCase]:
    """Return the cases of a run with a verified result, without their readings; of no candidate with wrong ones."""
    rows = [(case, summary) for case, summary, _ in answers.cases_of_run(session, run_id) if summary is not None]
    wrong = {(case.protocol, candidate_of(case)) for case, summary in rows if summary.wrong or summary.disputed}
    kept = [case for case, summary in rows if summary.ok and (case.protocol, candidate_of(case)) not in wrong]
    return _without_readings(session, kept)


def _without_readings(session: Session, cases: Sequence[Case]) -> list[MeasuredCase]:
    agents = answers.agent_names(session, sorted({case.agent_id for case in cases}))
    builds = build_facts(answers.builds(session, {case.build_id for case in cases}))
    return [_case(candidate_of(case), input_of(case), np.empty(0), agents, builds) for case in cases]


def _case(
    candidate: Candidate, given: Input, values: Floats, agents: Mapping[str, str], builds: Mapping[int, BuildFacts]
) -> MeasuredCase:
    build = builds[candidate.build_id]
    version = build.versions.get(candidate.provider, "")
    return MeasuredCase(candidate, given, values, agents[candidate.agent_id], build.toolchain, version)
