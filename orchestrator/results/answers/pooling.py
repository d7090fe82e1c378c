"""Pooling: one figure per block over several inputs, for candidates with the same inputs."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from orchestrator.results.answers.readings import Candidate, CandidateReadings, Input
from orchestrator.results.schemas import Measure
from orchestrator.statistics.median import MedianSummary, summarize
from orchestrator.statistics.paired import Floats


def fair_inputs(
    candidates: Mapping[Candidate, CandidateReadings], measure: Measure, includes: Callable[[Input], bool]
) -> list[Input]:
    """Return the inputs to compare over, out of those included.

    These are the inputs that every candidate has; if there is none, the input set that most candidates have.
    """
    given = [frozenset(filter(includes, readings.of(measure))) for readings in candidates.values()]
    if not given:
        return []
    common = frozenset.intersection(*given)
    if not common:
        counts = Counter(inputs for inputs in given if inputs)
        common = max(counts, key=lambda inputs: (counts[inputs], len(inputs), sorted(inputs)), default=frozenset())
    return sorted(common)


def incomparable(readings: CandidateReadings, inputs: list[Input], measure: Measure) -> str:
    """Return why a candidate cannot be compared over these inputs; empty if it can."""
    if not inputs:
        return "no two candidates share an input"
    measured = readings.of(measure)
    if any(one not in measured for one in inputs):
        return "it was not measured with the same inputs as the others"
    empty = sum(not np.isfinite(measured[one]).any() for one in inputs)
    if empty:
        return f"no ok execution for {empty} of {len(inputs)} inputs"
    return ""


def pooled(readings: Floats) -> MedianSummary | None:
    """Return the median over blocks of the geometric mean over inputs, with its interval.

    readings: any unit, positive, shape (blocks, inputs). Blocks that lack an input are excluded: their mean would
    cover other inputs.
    """
    complete = readings[np.isfinite(readings).all(axis=1)]
    return summarize(np.exp(np.log(complete).mean(axis=1)).tolist()) if len(complete) else None


def geometric_mean(medians: Mapping[Input, float], inputs: Iterable[Input]) -> float | None:
    """Return the geometric mean over the inputs, in the unit of the medians; None if an input has no median."""
    found = [medians.get(one) for one in inputs]
    positive = [value for value in found if value is not None and value > 0]
    return math.exp(math.fsum(map(math.log, positive)) / len(positive)) if positive and positive == found else None


def kinds(inputs: Iterable[Input]) -> list[str]:
    """Return the kinds of chunks that occur, sorted."""
    return sorted({one.kind for one in inputs if one.kind})


def lengths_bytes(inputs: Iterable[Input]) -> list[int]:
    """Return the lengths that occur, ascending."""
    return sorted({one.length_bytes for one in inputs})
