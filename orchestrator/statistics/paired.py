"""Two candidates compared where everything else is the same: within one block, over the same inputs.

A block holds one execution of every case, so a slow minute of the machine hits both candidates of a pair. The
logarithm of the ratio makes "twice as fast" and "half as fast" equally far from "the same".
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from orchestrator.errors import NoData
from orchestrator.statistics.median import CONFIDENCE, FEWEST_FOR_INTERVAL, Interval
from orchestrator.statistics.student import student_quantile

Verdict = Literal["different", "tie", "undecided"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """How many times the second candidate's throughput the first one has."""

    ratio: float
    interval: Interval | None  # of the ratio, 95 %; None below 6 common blocks
    blocks: int  # in which both have a result
    verdict: Verdict  # undecided: too few blocks to tell


def compare(first: Floats, second: Floats, *, noise_floor: float = 0.0) -> Comparison:
    """Compare two candidates by their paired log-ratios, one per block.

    first, second: throughputs, any unit, shape (blocks, inputs), positive, NaN where there is no result; row b of
    both is the same block, column i the same input. noise_floor: the relative difference that the same program
    shows against itself on this machine (0.01 is 1 %).
    A tie: the interval contains 1, or the ratio is not beyond the noise floor.
    Raises NoData when no block has a result of both for the same input.
    """
    ratios = block_log_ratios(first, second)
    estimate = float(ratios.mean())
    interval = mean_interval(ratios)
    return Comparison(
        ratio=math.exp(estimate),
        interval=None if interval is None else Interval(math.exp(interval.low), math.exp(interval.high)),
        blocks=len(ratios),
        verdict=_verdict(estimate, interval, noise_floor),
    )


def block_log_ratios(first: Floats, second: Floats) -> Floats:
    """Return per block the mean of ln(first / second) over the inputs that both have, shape (blocks with any,).

    Shapes as in compare. Raises NoData when nothing is common.
    """
    if first.shape != second.shape:
        raise ValueError(f"candidates must have the same blocks and inputs, seen {first.shape} and {second.shape}")
    logs = np.log(first) - np.log(second)
    common = np.isfinite(logs)
    counts = common.sum(axis=1)
    sums = np.where(common, logs, 0.0).sum(axis=1)
    ratios: Floats = sums[counts > 0] / counts[counts > 0]
    if ratios.size == 0:
        raise NoData("The two candidates have no block and input in common.")
    return ratios


def mean_interval(values: Floats, confidence: float = CONFIDENCE) -> Interval | None:
    """Return Student's interval of the mean of block values; None below 6 of them.

    values: shape (n,), one per block, about normal because each is itself a mean over inputs. In a simulation of the
    same program against itself with rare disturbances (4 000 trials, 6 to 40 blocks) this interval missed the truth
    in 2 to 5 % of the trials, and a bootstrap of the blocks (expanded percentiles) in 6 to 7 %: so no bootstrap.
    Source: Student, The Probable Error of a Mean, Biometrika 6 (1908).
    """
    n = len(values)
    if n < FEWEST_FOR_INTERVAL:
        return None
    middle = float(values.mean())
    half = student_quantile(0.5 + confidence / 2, n - 1) * float(values.std(ddof=1)) / math.sqrt(n)
    return Interval(middle - half, middle + half)


def _verdict(estimate: float, interval: Interval | None, noise_floor: float) -> Verdict:
    if interval is None:
        return "undecided"
    if interval.contains(0.0) or abs(estimate) <= math.log1p(noise_floor):
        return "tie"
    return "different"
