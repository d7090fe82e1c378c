"""Pooling: one figure over several inputs."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from orchestrator.results.answers.readings import Input
from orchestrator.statistics.median import MedianSummary, summarize
from orchestrator.statistics.paired import Floats


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
