"""Selection of the candidates that are ranked, and of the inputs that count; a reason for each of the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from orchestrator.results.answers.agents import AgentFacts
from orchestrator.results.answers.decision.constraints import violations
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.readings import Candidate, CandidateReadings, Input
from orchestrator.results.measures import RankingMeasure
from orchestrator.statistics.incomplete import MIN_SHARED_INPUTS, overlap, select
from orchestrator.statistics.location import Floats


@dataclass(frozen=True)
class Compared:
    """The candidates of a table that are ranked, the inputs that they are ranked over, and reasons for the others."""

    candidates: tuple[Candidate, ...]
    inputs: list[Input]
    """Inputs that at least two of the candidates have; all inputs of a single candidate."""
    reasons: Mapping[Candidate, str]
    measured: Mapping[Candidate, Sequence[Input]]
    """Inputs with a result, of every candidate."""

    def of(self, candidate: Candidate) -> list[Input]:
        """Return the inputs that a candidate's figures cover."""
        found = self.measured[candidate]
        return [one for one in found if one in self.inputs] if candidate in self.candidates else list(found)


def violated(agent: AgentFacts, candidates: Iterable[Candidate], question: Question) -> dict[Candidate, list[str]]:
    """Return the candidates in their order, each with the constraints of the question that it violates."""
    required = question.constraints
    return {
        one: violations(required, *agent.constraint_values(one), question.operation) if required.any else []
        for one in sorted(candidates)
    }


def compared(
    candidates: Mapping[Candidate, CandidateReadings], measure: RankingMeasure, includes: Callable[[Input], bool]
) -> Compared:
    """Select the candidates to rank out of these, over the inputs that are included.

    A candidate with wrong or disputed results and without any ok one for an input is not ranked over its other inputs:
    a fault must not make it faster.
    """
    inputs = sorted({one for readings in candidates.values() for one in readings.of(measure) if includes(one)})
    measured = {candidate: _measured(readings, measure, inputs) for candidate, readings in candidates.items()}
    reasons = {one: _obstacle(candidates[one], measure, inputs, found) for one, found in measured.items()}
    names = {f"{place:06d}": one for place, one in enumerate(sorted(candidates)) if not reasons[one]}
    speeds = {name: candidates[one].speeds(measure, inputs) for name, one in names.items()}
    selection = select(speeds)
    counted = [one for one, counts in zip(inputs, selection.inputs, strict=False) if counts]
    ranked = tuple(names[name] for name in selection.names)
    for name, one in names.items():
        if one not in ranked:
            reasons[one] = _too_little(name, speeds, selection.names, len(counted))
    return Compared(ranked, counted, {one: why for one, why in reasons.items() if why}, measured)


def compared_exactly(
    candidates: Mapping[Candidate, CandidateReadings],
    values: Mapping[Candidate, float | None],
    unknown: Mapping[Candidate, str],
) -> Compared:
    """Select the candidates to rank by an exact value; unknown: why a value is None.

    A candidate with wrong or disputed results is not ranked, however small it is.
    """
    reasons = {one: _exact_obstacle(own, values[one], unknown[one]) for one, own in candidates.items()}
    ranked = tuple(sorted(one for one, why in reasons.items() if not why))
    return Compared(ranked, [], {one: why for one, why in reasons.items() if why}, {one: [] for one in candidates})


def _exact_obstacle(readings: CandidateReadings, value: float | None, unknown: str) -> str:
    if not readings.counts.ok:
        return "it has no ok execution"
    if readings.counts.wrong or readings.counts.disputed:
        return "it has wrong or disputed results"
    return unknown if value is None else ""


def _measured(readings: CandidateReadings, measure: RankingMeasure, inputs: Iterable[Input]) -> list[Input]:
    found = readings.of(measure)
    return [one for one in inputs if one in found and np.isfinite(found[one]).any()]


def _obstacle(
    readings: CandidateReadings, measure: RankingMeasure, inputs: Sequence[Input], found: Sequence[Input]
) -> str:
    """Return why a candidate's own results exclude it; empty if they do not."""
    planned = [one for one in inputs if one in readings.of(measure)]
    if not planned:
        return "it was not measured with these inputs"
    empty = len(planned) - len(found)
    if not found and readings.counts.ok:
        return "its ok executions have no reading of the measure"
    if empty and (not found or readings.counts.wrong or readings.counts.disputed):
        return f"no ok execution for {empty} of {len(planned)} inputs"
    return ""


def _too_little(name: str, speeds: Mapping[str, Floats], ranked: Sequence[str], inputs: int) -> str:
    """Return what a candidate lacks in common with the ranked ones."""
    if not ranked:
        return "no two candidates share enough inputs to be compared"
    shared = max(int(overlap([speeds[name], speeds[other]]).inputs[0, 1]) for other in ranked)
    if not shared:
        return "it shares no input with the ranked candidates"
    return (
        f"it shares {shared} of {inputs} inputs with the ranked candidates, and a rank requires "
        f"{min(MIN_SHARED_INPUTS, inputs)}; an answer for one length ranks it"
    )
