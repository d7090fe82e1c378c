"""Pooling: one figure over several inputs."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from orchestrator.results.answers.readings import CandidateReadings, Input
from orchestrator.results.case_statistics import NS_PER_SECOND
from orchestrator.results.schemas import Measure
from orchestrator.statistics.median import ConfidenceInterval, MedianSummary, summarize
from orchestrator.statistics.paired import Floats
from orchestrator.statistics.winsorize import block_values


def block_means(readings: Floats) -> Floats:
    """Return the geometric mean over the inputs of each block that has all of them.

    readings: any unit, positive, shape (blocks, inputs). The mean of a block that lacks an input would cover others.
    """
    means: Floats = np.exp(np.log(readings[np.isfinite(readings).all(axis=1)]).mean(axis=1))
    return means


def pooled(readings: Floats) -> MedianSummary | None:
    """Return the median over complete blocks of the geometric mean over inputs, with its interval, as rankings do.

    readings: as in block_means. A disturbed reading does not dominate its block.
    """
    logs = np.log(readings[np.isfinite(readings).all(axis=1)])
    found = summarize(block_values(logs).tolist()) if len(logs) else None
    if found is None:
        return None
    limits = found.interval and ConfidenceInterval(math.exp(found.interval.low), math.exp(found.interval.high))
    return MedianSummary(found.n, math.exp(found.median), limits)


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


def common_kinds(inputs: Sequence[Input]) -> set[str]:
    """Return the kinds that occur with every length; calls have the empty kind only."""
    of_lengths = ({one.kind for one in inputs if one.length_bytes == length} for length in lengths_bytes(inputs))
    return set.intersection(*of_lengths)


def times_by_length(readings: CandidateReadings, measure: Measure, inputs: Sequence[Input]) -> Floats:
    """Return the time of each length in nanoseconds, shape (blocks, lengths), NaN for a block that lacks an input.

    Inputs of one length are pooled by their geometric mean; kinds that not every length has are omitted.
    """
    kinds = common_kinds(inputs)
    columns = []
    for length in lengths_bytes(inputs):
        matrix = readings.matrix(measure, [one for one in inputs if one.length_bytes == length and one.kind in kinds])
        times_ns = matrix if measure == "call" else length * NS_PER_SECOND / matrix
        columns.append(np.exp(np.log(times_ns).mean(axis=1)))
    return np.stack(columns, axis=1)
