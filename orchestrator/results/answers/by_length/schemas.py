"""API schemas of figures by input length."""

from pydantic import BaseModel

from orchestrator.results.schemas import CandidateFields, Interval, Measure
from orchestrator.wire.messages import KeySetup, LatencyOperation


class ThroughputPoint(CandidateFields):
    """One point of the chart: a candidate at one chunk length, kinds pooled."""

    agent_id: str
    length_bytes: int
    kinds: list[str]
    throughput_bytes_per_second: float
    """Median over blocks of the geometric mean over the kinds."""
    interval: Interval | None
    blocks: int


class ThroughputChart(BaseModel):
    """Throughput by chunk length."""

    run_id: str
    measure: Measure
    points: list[ThroughputPoint]


class LatencyPoint(CandidateFields):
    """One point of the chart: a candidate's calls of one kind with one message length, fills pooled."""

    agent_id: str
    operation: LatencyOperation
    key_setup: KeySetup
    length_bytes: int
    associated_data_bytes: int
    call_wall_ns: float
    """Median over blocks of the geometric mean over the fills."""
    interval: Interval | None
    cold_call_wall_ns: float | None
    """The first call of a process, median over its executions."""
    blocks: int


class LatencyChart(BaseModel):
    """Time of one call by message length."""

    run_id: str
    points: list[LatencyPoint]
