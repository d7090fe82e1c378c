"""Answers of the endpoints about executions and what they amount to. Units are in the names."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from orchestrator.results.readings import Measure


class Interval(BaseModel):
    """95 % interval, in the unit of what it belongs to."""

    low: float
    high: float


class ExecutionAnswer(BaseModel):
    """One execution in a list, with the case it repeats."""

    id: int
    run_id: str
    case_id: int
    agent_id: str
    provider: str
    algorithm: str
    variant: str
    operation: str
    protocol: str
    input_kind: str | None
    message_bytes: int
    input_sha256: str | None
    repetition: int
    purpose: str
    state: str
    started_at: datetime | None
    work_wall_ns: int | None
    process_wall_ns: int | None
    key_setup_wall_ns: int | None
    encrypt_wall_ns: int | None
    decrypt_wall_ns: int | None
    throughput_bytes_per_second: float | None
    """Input bytes / the encrypt phase."""
    pass_throughput_bytes_per_second: float | None
    """Input bytes / work_wall_ns."""
    work_cpu_ns: int | None
    peak_rss_bytes: int | None
    ciphertext_sha256: str | None
    disturbed: bool
    failure: dict[str, Any] | None
    """Why it has no valid result: error, detail, exit_code, signal, stderr_tail."""


class ReadingAnswer(BaseModel):
    """One reading with what it means."""

    name: str
    value: int | float | None
    unit: str
    source: str
    resolution: str
    help: str
    reason: str | None
    """Why the value is null."""


class Verification(BaseModel):
    """What the ciphertext was compared with."""

    expected_sha256: str | None
    basis: Literal["third-party", "agreement", "none"]
    detail: str


class ExecutionDetail(ExecutionAnswer):
    """One execution with everything that was read."""

    job_id: int | None
    """Null for what was skipped from the beginning."""
    attempt: int | None
    session_id: str | None
    inventory_id: int | None
    stored_at: datetime | None
    readings: list[ReadingAnswer]
    disturbances: list[str]
    verification: Verification
    has_curve: bool


class CurveAnswer(BaseModel):
    """The monitor's samples of one execution, column-wise; a column without a source is empty."""

    execution_id: int
    source: str
    at_ns: list[int]
    """Since the spawn."""
    rss_bytes: list[int]
    cpu_ns: list[int]
    threads: list[int]


class AnswerRow(BaseModel):
    """One candidate in the order of an agent's answer."""

    rank: int | None
    """1 is the fastest; tied ones share a rank. Null where it cannot be compared: see reason."""
    tied: bool
    undecided: bool
    """It shares its rank because there are too few blocks to tell, not because a tie was shown."""
    reason: str
    """Why there is no rank."""
    provider: str
    algorithm: str
    variant: str
    build_key: str
    toolchain: str
    throughput_bytes_per_second: float | None
    """Median over blocks of the geometric mean over the inputs, of the table's measure."""
    interval: Interval | None
    """None below 6 complete blocks."""
    behind: float | None
    """How many times faster the fastest one is, paired by block; null for the fastest itself."""
    behind_interval: Interval | None
    peak_rss_bytes: float | None
    """Largest median of its cases."""
    ok: int
    failed: int
    wrong: int
    disputed: int
    disturbed: int


class NoiseFloor(BaseModel):
    """The relative difference that the same program shows against itself on this agent."""

    relative: float | None
    reason: str
    """Why it is null."""


class AnswerInputs(BaseModel):
    """What all ranked candidates were measured with."""

    count: int
    kinds: list[str]
    lengths_bytes: list[int]


class AgentAnswer(BaseModel):
    """Which one, and how sure, on one agent; agents are never ranked against each other."""

    agent_id: str
    agent_name: str
    device: str
    emulated: bool
    measure: Measure
    inputs: AnswerInputs
    blocks: int
    noise_floor: NoiseFloor
    sentence: str
    rows: list[AnswerRow]
    rows_total: int


class RunAnswer(BaseModel):
    """The answer of a run: one table for each agent."""

    run_id: str
    state: str
    measure: Measure
    length_bytes: int | None
    """The only chunk length looked at; null: all of them."""
    agents: list[AgentAnswer]


class ThroughputPoint(BaseModel):
    """One mark of the chart: a candidate at one chunk length, kinds pooled."""

    agent_id: str
    provider: str
    algorithm: str
    variant: str
    build_key: str
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
