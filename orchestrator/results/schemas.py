"""Answers of the endpoints about executions and what they amount to. Units are in the names."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from orchestrator.wire.health import Health
from orchestrator.wire.messages import KeySetup, LatencyOperation

Measure = Literal["encrypt", "pass", "call"]
"""encrypt: input bytes / the encrypt phase; pass: input bytes / work_wall_ns, process overhead included;
call: nanoseconds of one warm call under the latency protocol."""


class Interval(BaseModel):
    """95 % interval, in the unit of what it belongs to."""

    low: float
    high: float


class ExecutionSummary(BaseModel):
    """One execution in a list, with the case it repeats."""

    id: int
    run_id: str
    case_id: int
    agent_id: str
    agent_name: str
    toolchain_words: str
    """``gcc 12 -O3``."""
    provider: str
    algorithm: str
    variant: str
    copy_number: int = Field(serialization_alias="copy", default=1)
    """1, 2 … where the plan wants the same case several times."""
    operation: str
    protocol: str
    input_kind: str | None
    message_bytes: int
    input_sha256: str | None
    """Of the chunk; of the description of the message under the latency protocol."""
    associated_data_bytes: int
    fill: str | None
    """What a timed message is made of: zero, counter or random; null under the process protocol, as the next two."""
    key_fill: str | None
    key_setup: str | None
    """apart, or included in each call."""
    repetition: int
    position: int | None
    """Place in the randomized order of its run and agent; null for an execution that was skipped from the start."""
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
    call_wall_ns: float | None
    """One warm call: the median over the timings of wall time / iterations; null under the process protocol."""
    call_cpu_ns: float | None
    peak_rss_bytes: int | None
    ciphertext_sha256: str | None
    """Null where a timed call does not encrypt."""
    disturbed: bool
    failure: dict[str, Any] | None
    """Why it has no valid result: error, detail, exit_code, signal, stderr_tail."""


class ReadingDetail(BaseModel):
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


class ExecutionDetail(ExecutionSummary):
    """One execution with everything that was read."""

    job_id: int | None
    """Null for what was skipped from the beginning."""
    attempt: int | None
    session_id: str | None
    inventory_id: int | None
    stored_at: datetime | None
    readings: list[ReadingDetail]
    disturbances: list[str]
    verification: Verification
    has_curve: bool
    has_timings: bool


class CurveDetail(BaseModel):
    """The monitor's samples of one execution, column-wise; a column without a source is empty."""

    execution_id: int
    source: str
    at_ns: list[int]
    """Since the spawn."""
    rss_bytes: list[int]
    cpu_ns: list[int]
    threads: list[int]


class TimingsDetail(BaseModel):
    """The timings of one latency execution, column-wise; every value is of all the iterations of its timing."""

    execution_id: int
    iterations: list[int]
    """Calls of each timing."""
    wall_ns: list[int]
    cpu_ns: list[int]
    cycles: list[int | None]
    """Null where the kernel grants no counters: the execution's readings say why."""
    instructions: list[int | None]
    core_clock_hz: list[float | None]
    """Null where the clock drifted during the timing."""
    derived_cycles: list[float | None]
    """cpu_ns × core_clock_hz: not counted."""


class FootprintFigures(BaseModel):
    """What an implementation takes in memory on its build, executed or not."""

    code_bytes: int | None
    """.text and .rodata of a program that holds it alone, less those of an empty program."""
    static_ram_bytes: int | None
    """.data and .bss, likewise."""
    context_bytes: int | None
    """What the caller holds for a key."""
    key_setup_stack_bytes: int | None
    encrypt_stack_bytes: int | None
    decrypt_stack_bytes: int | None
    reason: str
    """Why values are null."""


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
    copy_number: int = Field(serialization_alias="copy", default=1)
    """1, 2 … where the plan wants the same case several times, to compare it with itself."""
    build_key: str
    toolchain: str
    """In words: ``gcc 12 -O3 -march=native static``."""
    throughput_bytes_per_second: float | None
    """Median over blocks of the geometric mean over the inputs; null in a table of calls."""
    call_wall_ns: float | None
    """One warm call, likewise; null in a table of throughputs, as the next two."""
    call_cpu_ns: float | None
    """CPU time of one warm call: the geometric mean over the inputs of the medians of their cases."""
    cold_call_wall_ns: float | None
    """The first call of a process, likewise."""
    interval: Interval | None
    """Of throughput_bytes_per_second or call_wall_ns, whichever the table shows; null below 6 complete blocks."""
    relative_interval: float | None
    """Half the width of that interval / the median: 0.01 is ± 1 %."""
    behind: float | None
    """How many times faster the fastest one is, paired by block; null for the fastest itself."""
    behind_interval: Interval | None
    """95 %, of this comparison alone."""
    adjusted_p: float | None
    """That the fastest is no faster, by Holm over all comparisons of the answer; null below 6 blocks."""
    superiority: float | None
    """Share of blocks in which the fastest one is faster than this; 0.5 is no effect."""
    standardised_difference: float | None
    """Mean / standard deviation of the blocks' log-ratios (d_z); null where all blocks say the same."""
    cycles_per_instruction: float | None
    """Geometric mean over the inputs of the medians of their cases; null without counters. Energy: without a meter."""
    energy_per_execution_joules: float | None
    energy_per_byte_joules: float | None
    peak_rss_bytes: float | None
    """Largest median of its cases."""
    footprint: FootprintFigures
    ok: int
    failed: int
    wrong: int
    disputed: int
    skipped: int
    disturbed: int
    outliers: int
    """Readings far from the others of their case (modified z-score above 3.5); marked and kept."""


class AgentTrend(BaseModel):
    """How the times of an agent changed while it executed the run."""

    per_hour: float | None
    """Share: 0.012 is 1.2 % longer each hour; negative: it got faster. Null where there are too few readings."""
    interval: Interval | None
    """95 %, of per_hour."""
    p: float | None
    """Kendall's, of the hypothesis that there is none."""
    hours: float | None
    """From the first reading to the last."""
    change: float | None
    """Over all of them, as the slope has it."""
    real: bool
    """Chance and the noise floor do not explain it."""
    sentence: str


class NoiseFloor(BaseModel):
    """The relative difference that the same program shows against itself on this agent."""

    relative: float | None
    reason: str
    """Why it is null, or what it is of where not every build has its own."""


class AnswerInputs(BaseModel):
    """What all ranked candidates were measured with."""

    count: int
    kinds: list[str]
    """Of the chunks; empty in a table of calls."""
    lengths_bytes: list[int]
    """Of the chunks or messages."""
    operations: list[str]
    """Of the calls: encrypt, decrypt, key-setup; empty in a table of throughputs, as the next two."""
    key_setups: list[str]
    """apart, included."""
    associated_data_lengths_bytes: list[int]


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
    health: Health
    """Of the agent, as its latest check was judged: a degraded one measures on, and its results say so."""
    health_reason: str
    """Why it is degraded or quarantined; empty for a healthy one."""
    trend: AgentTrend
    comparisons: int
    """So many were corrected together (Holm), on all agents of the run."""
    sentence: str
    rows: list[AnswerRow]
    rows_total: int


class RunAnswer(BaseModel):
    """The answer of a run: one table for each agent."""

    run_id: str
    state: str
    measure: Measure
    measures: list[Measure]
    """What can be asked of this run: encrypt and pass where it has chunks, call where it has timed messages."""
    length_bytes: int | None
    """The only length of chunk or message looked at; null: all of them."""
    operation: LatencyOperation | None
    """The only operation looked at in a table of calls; null: all of them."""
    agents: list[AgentAnswer]


class ThroughputPoint(BaseModel):
    """One mark of the chart: a candidate at one chunk length, kinds pooled."""

    agent_id: str
    provider: str
    algorithm: str
    variant: str
    copy_number: int = Field(serialization_alias="copy", default=1)
    build_key: str
    toolchain: str
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


class LatencyPoint(BaseModel):
    """One mark of the chart: a candidate's calls of one kind with one message length, fills pooled."""

    agent_id: str
    provider: str
    algorithm: str
    variant: str
    copy_number: int = Field(serialization_alias="copy", default=1)
    build_key: str
    toolchain: str
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
