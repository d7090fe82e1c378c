"""Paired comparison of two candidates within the same blocks and over the same inputs.

A block has one execution of every case, so that a slow minute of the machine affects both candidates. The logarithm of
the ratio makes "twice as fast" and "half as fast" equally far from "equal".
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from orchestrator.shared.errors import NoData
from orchestrator.statistics.location import Floats, locate
from orchestrator.statistics.median import CONFIDENCE, ConfidenceInterval
from orchestrator.statistics.power import floor_of_comparison
from orchestrator.statistics.winsorize import block_values

__all__ = ["SIGNIFICANCE", "Comparison", "Floats", "Verdict", "block_log_ratios", "compare",
           "compare_shared", "effect_size", "verdict_of"]  # fmt: skip

Verdict = Literal["different", "tie", "undecided"]
SIGNIFICANCE = 1 - CONFIDENCE


@dataclass(frozen=True)
class EffectSize:
    """Dimensionless size of a paired difference."""

    superiority: float  # share of blocks in which the first is larger, 0 to 1; an equal block counts half
    standardized: float | None  # d_z: mean / standard deviation of the blocks; None if they do not differ


@dataclass(frozen=True)
class Comparison:
    """Result of a comparison: the first candidate's throughput / the second one's."""

    ratio: float
    interval: ConfidenceInterval | None  # of the ratio, 95 %, for this comparison alone; None below 6 common blocks
    blocks: int  # blocks in which both have a result for the same input
    inputs: int  # inputs for which both have a result in the same block
    noise_floor: float  # of the agent, for this number of blocks and inputs: 0.01 is 1 %
    verdict: Verdict  # undecided: too few blocks
    p: float | None  # of the hypothesis that both are equal, for this comparison alone; None below 6 blocks
    effect: EffectSize


def compare(first: Floats, second: Floats, *, noise_floor: float = 0.0) -> Comparison:
    """Return the comparison of two candidates by their paired log-ratios, one per block.

    first, second: throughputs, any unit, shape (blocks, inputs), positive, NaN for a missing result; row b of both is
    the same block, column i the same input. noise_floor: relative difference between two equal programs on this machine
    over 40 blocks of one input (0.01 is 1 %).
    The verdict is a tie if the interval contains 1, or if the ratio does not exceed the noise floor of this number of
    blocks and inputs. Raises NoData if no block has a result of both for the same input.

    The interval resamples the signs of the blocks (location.locate). It was chosen among seven by 4 000 simulated
    comparisons of a program with itself for each of 6, 10, 20 and 40 blocks of one input: log-normal noise of 2 %,
    3 % of executions 3 to 10 times as long, a drift of 5 % per run. The table has the share of intervals that missed
    the truth (at most 5 % are allowed) and that found a planted difference of 2 %:

    ===============================  ======================  ==================
    interval                         missed, 6/10/20/40      found, 20/40 blocks
    ===============================  ======================  ==================
    signs of ranks (chosen)          3.6  4.9  5.2  4.5 %    69  95 %
    signs, of the mean               3.6  4.9  5.1  5.1 %    48  32 %
    Student, of the mean             3.4  2.6  1.9  1.9 %    24  12 %
    trimmed mean (Yuen)              5.5  5.3  5.1  4.7 %    69  95 %
    bootstrap-t, of the mean         1.8  1.9  1.4  0.5 %    24  10 %
    bootstrap-t, of a trimmed mean   2.3  4.0  4.8  4.5 %    65  94 %
    bootstrap BCa, of the mean       19   18   22   23 %     not usable
    ===============================  ======================  ==================
    """
    ratios = block_log_ratios(first, second)
    found = locate(ratios)
    inputs = int((np.isfinite(first) & np.isfinite(second)).any(axis=0).sum())
    floor = floor_of_comparison(noise_floor, found.n, inputs)
    return Comparison(
        ratio=math.exp(found.middle),
        interval=found.interval and ConfidenceInterval(math.exp(found.interval.low), math.exp(found.interval.high)),
        blocks=found.n,
        inputs=inputs,
        noise_floor=floor,
        verdict=verdict_of(found.middle, found.p, floor),
        p=found.p,
        effect=effect_size(ratios),
    )


def compare_shared(first: Floats, second: Floats, *, noise_floor: float = 0.0) -> Comparison | None:
    """Return the comparison of two candidates as compare does; None if they have no block and input in common."""
    try:
        return compare(first, second, noise_floor=noise_floor)
    except NoData:
        return None


def block_log_ratios(first: Floats, second: Floats) -> Floats:
    """Return per block the mean of ln(first / second) over the inputs, shape (blocks with any in common,).

    Shapes as in compare. Only inputs count that both have in the same block. Distant ratios of an input are winsorized,
    and a missing input of a block counts as its median in the others (winsorize.block_values).
    Raises NoData if the candidates have no block and input in common.
    """
    if first.shape != second.shape:
        raise ValueError(f"candidates must have the same blocks and inputs, got {first.shape} and {second.shape}")
    logs = np.log(first) - np.log(second)
    common = np.isfinite(logs)
    logs = np.where(common, logs, np.nan)[common.any(axis=1)][:, common.any(axis=0)]
    if logs.size == 0:
        raise NoData("The two candidates have no block and input in common.")
    return block_values(logs)


def effect_size(ratios: Floats) -> EffectSize:
    """Return the effect size of log-ratios, one per block.

    ratios: dimensionless, shape (n,), n >= 1, finite, positive if the first one is larger. Superiority is 0.5 without a
    difference and 1 if the first is larger in every block. d_z: 0.2 is small, 0.5 medium, 0.8 large in psychology;
    programs on a quiet machine easily reach 20.
    Source: Grissom and Kim, Effect Sizes for Research, 2nd ed. (2012), chapter 5 (probability of superiority);
    Cohen, Statistical Power Analysis, 2nd ed. (1988), section 2.3.5 (d_z).
    """
    share = float(((ratios > 0) + 0.5 * (ratios == 0)).mean())
    deviation = float(ratios.std(ddof=1)) if len(ratios) > 1 else 0.0
    return EffectSize(superiority=share, standardized=float(ratios.mean()) / deviation if deviation > 0 else None)


def verdict_of(log_ratio: float, p: float | None, noise_floor: float) -> Verdict:
    """Return the verdict of a comparison; p may have been adjusted for multiple comparisons."""
    if p is None:
        return "undecided"
    if p > SIGNIFICANCE or abs(log_ratio) <= math.log1p(noise_floor):
        return "tie"
    return "different"
