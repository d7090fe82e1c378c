"""Two candidates compared where everything else is the same: within one block, over the same inputs.

A block holds one execution of every case, so a slow minute of the machine hits both candidates of a pair. The
logarithm of the ratio makes "twice as fast" and "half as fast" equally far from "the same".
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from orchestrator.errors import NoData
from orchestrator.statistics.effect_size import EffectSize, effect_size
from orchestrator.statistics.location import Floats, locate
from orchestrator.statistics.median import CONFIDENCE, Interval
from orchestrator.statistics.power import floor_of_comparison
from orchestrator.statistics.winsorize import middles_of, steadied

__all__ = ["SIGNIFICANCE", "Comparison", "Floats", "Verdict", "block_log_ratios", "compare", "verdict_of"]

Verdict = Literal["different", "tie", "undecided"]
SIGNIFICANCE = 1 - CONFIDENCE


@dataclass(frozen=True)
class Comparison:
    """How many times the second candidate's throughput the first one has."""

    ratio: float
    interval: Interval | None  # of the ratio, 95 %, for this comparison alone; None below 6 common blocks
    blocks: int  # in which both have a result
    noise_floor: float  # the agent's, over so many blocks and inputs: 0.01 is 1 %
    verdict: Verdict  # undecided: too few blocks to tell
    p: float | None  # of the hypothesis that both are the same, for this comparison alone; None below 6
    effect: EffectSize


def compare(first: Floats, second: Floats, *, noise_floor: float = 0.0) -> Comparison:
    """Compare two candidates by their paired log-ratios, one per block.

    first, second: throughputs, any unit, shape (blocks, inputs), positive, NaN where there is no result; row b of
    both is the same block, column i the same input. noise_floor: the relative difference that the same program
    shows against itself on this machine over 40 blocks of one input (0.01 is 1 %).
    A tie: the interval contains 1, or the ratio is not beyond the noise floor of so many blocks and inputs.
    Raises NoData when no block has a result of both for the same input.

    The interval resamples the signs of the blocks (location.locate). It was chosen among seven by 4 000 simulated
    comparisons of a program with itself for each of 6, 10, 20 and 40 blocks of one input: log-normal noise of 2 %,
    3 % of executions 3 to 10 times as long, a drift of 5 % a run. Missed the truth in (at most 5 % are promised), and
    found a planted 2 %:

    ===============================  ======================  ==================
    interval                         missed, 6/10/20/40      found, 20/40 blocks
    ===============================  ======================  ==================
    signs of ranks (chosen)          3.6  4.9  5.2  4.5 %    69  95 %
    signs, of the mean               3.6  4.9  5.1  5.1 %    48  32 %
    Student, of the mean             3.4  2.6  1.9  1.9 %    24  12 %
    trimmed mean (Yuen)              5.5  5.3  5.1  4.7 %    69  95 %
    bootstrap-t, of the mean         1.8  1.9  1.4  0.5 %    24  10 %
    bootstrap-t, of a trimmed mean   2.3  4.0  4.8  4.5 %    65  94 %
    bootstrap BCa, of the mean       19   18   22   23 %     none can be believed
    ===============================  ======================  ==================
    """
    ratios = block_log_ratios(first, second)
    found = locate(ratios)
    floor = floor_of_comparison(noise_floor, found.n, first.shape[1])
    return Comparison(
        ratio=math.exp(found.middle),
        interval=found.interval and Interval(math.exp(found.interval.low), math.exp(found.interval.high)),
        blocks=found.n,
        noise_floor=floor,
        verdict=verdict_of(found.middle, found.p, floor),
        p=found.p,
        effect=effect_size(ratios),
    )


def block_log_ratios(first: Floats, second: Floats) -> Floats:
    """Return per block the mean of ln(first / second) over the inputs, shape (blocks with any in common,).

    Shapes as in compare. Ratios far out among those of their input count as usual (steadied). Where a block
    lacks an input, that counts as in the others: its value tells how the block differs, not which inputs it has.
    Raises NoData when nothing is common.
    """
    if first.shape != second.shape:
        raise ValueError(f"candidates must have the same blocks and inputs, seen {first.shape} and {second.shape}")
    logs = np.log(first) - np.log(second)
    common = np.isfinite(logs)
    logs = np.where(common, logs, np.nan)[common.any(axis=1)][:, common.any(axis=0)]
    if logs.size == 0:
        raise NoData("The two candidates have no block and input in common.")
    steady = steadied(logs)
    usual = middles_of(steady)
    ratios: Floats = usual.mean() + np.nanmean(steady - usual, axis=1)
    return ratios


def verdict_of(log_ratio: float, p: float | None, noise_floor: float) -> Verdict:
    """Return what a comparison amounts to; p may have been adjusted for others that were made beside it."""
    if p is None:
        return "undecided"
    if p > SIGNIFICANCE or abs(log_ratio) <= math.log1p(noise_floor):
        return "tie"
    return "different"
