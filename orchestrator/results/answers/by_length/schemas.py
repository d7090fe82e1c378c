"""API schemas of figures by input length."""

from typing import Literal

from orchestrator.results.measures import RankingMeasure
from orchestrator.results.schemas import CandidateFields, Interval
from orchestrator.shared.values.models import LazyModel
from orchestrator.wire.messages import KeySetup, OperationName

RatioMethod = Literal["reference", "paired", "unpaired"]
"""reference: the point that others are compared with; paired: within common blocks (Hodges and Lehmann); unpaired: two
samples without common blocks (Yuen)."""
RatioVerdict = Literal["reference", "different", "tie", "undecided"]
"""tie: no difference found; undecided: fewer than 6 blocks."""


class RelativeRatio(LazyModel):
    """Ratio of a point to a reference of the same agent, algorithm and length."""

    reference: str = ""
    """Label of the reference; empty without a ratio."""
    ratio: float | None = None
    """By the inputs and blocks that both have; it is not the ratio of the medians. Null: see reason."""
    interval: Interval | None = None
    """95 %, for this ratio alone; null below 6 blocks, and for the reference."""
    method: RatioMethod | None = None
    blocks: int = 0
    """Blocks that both have; if unpaired, those of the one that has fewer."""
    verdict: RatioVerdict | None = None
    """Corrected (Holm) for the comparisons of the same agent, algorithm and length; includes the noise floor."""
    reason: str = ""
    """Why there is no ratio; empty if there is one."""


class ThroughputPoint(CandidateFields):
    """One point of the chart: a candidate at one chunk length, kinds pooled."""

    agent_id: str
    length_bytes: int
    kinds: list[str]
    throughput_bytes_per_second: float
    """Median over blocks of the geometric mean over the kinds."""
    interval: Interval | None
    blocks: int
    of_fastest: RelativeRatio
    """Throughput / that of the fastest candidate of the algorithm at this length."""


class ThroughputChart(LazyModel):
    """Throughput by chunk length."""

    run_id: str
    measure: RankingMeasure
    points: list[ThroughputPoint]


class LatencyPoint(CandidateFields):
    """One point of the chart: a candidate's calls of one kind with one message length, fills pooled."""

    agent_id: str
    operation: OperationName
    key_setup: KeySetup
    length_bytes: int
    has_message: bool
    """False for a call that takes no message, such as a key setup."""
    associated_data_bytes: int
    call_wall_ns: float
    """Median over blocks of the geometric mean over the fills."""
    interval: Interval | None
    cold_call_wall_ns: float | None
    """The first call of a process, median over its executions."""
    blocks: int
    of_base: RelativeRatio
    """Time / that of the same call of the same implementation with the base toolchain: the algorithm's first GCC."""


class LatencyChart(LazyModel):
    """Time of one call by message length."""

    run_id: str
    points: list[LatencyPoint]
