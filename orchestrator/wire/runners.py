"""Output of runners: protocol version 2 (docs/measurement.md)."""

from collections import Counter
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, NonNegativeFloat, StringConstraints, field_validator, model_validator

from orchestrator.wire.base import (
    AlgorithmId,
    ByteCount,
    Count,
    CpuFeature,
    Document,
    Line,
    Nanoseconds,
    ProviderName,
    Report,
    Sha256,
    Text,
)
from orchestrator.wire.messages import (
    MAX_BATCH,
    MAX_GENERATORS,
    MAX_SHARES,
    MIN_SHARES,
    Degree,
    Fill,
    GeneratorName,
    Keys,
    KeySetup,
    Operation,
    OperationName,
    OutputCheck,
    PhaseName,
    Shares,
)

EXIT_MEANINGS = {
    0: "ok",
    2: "bad usage",
    3: "unknown algorithm or variant, or unsupported CPU",
    4: "bad input",
    5: "authentication failed",
    6: "output did not verify",
    70: "internal error",
}

FURTHER_COUNTERS = (
    "branch_misses",
    "cache_misses",
    "task_clock_ns",
    "page_faults",
    "context_switches",
    "cpu_migrations",
)
"""Counters in addition to cycles and instructions: two of the processor, four of the kernel."""

FIRST_PHASES = ("start", "load")
"""Phases of a process before those of its operations."""
_TAKEN = (*FIRST_PHASES, "main", "work", "process")
"""Names in reports and readings that no operation of a process may have."""

AlgorithmKind = Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z]+)*$", max_length=16)]
"""block-mode, stream and aead for ciphers; runners of other operations name others, such as hash."""


class MaskedForms(Report):
    """Forms of a masked variant in the output of ``list``: every combination of both, with every generator."""

    shares: list[Shares] = Field(min_length=1, max_length=MAX_SHARES - MIN_SHARES + 1)
    degrees: list[Degree] = Field(min_length=1, max_length=3)


class Generator(Report):
    """Random generator of a runner in the output of ``list``."""

    name: GeneratorName
    secure: bool
    """False for a generator that measures the gadgets alone."""
    available: bool
    reason: Line | None = None
    """Reason why the processor or the kernel lacks it."""


class Implementation(Report):
    """Row of ``list``: an algorithm of this provider in one variant, or one that it lacks (variant null)."""

    algorithm: AlgorithmId
    variant: Line | None
    kind: AlgorithmKind | None = None
    key_bytes: ByteCount = 0
    nonce_bytes: ByteCount = 0
    tag_bytes: ByteCount = 0
    block_bytes: ByteCount = 0
    whole_blocks_only: bool = False
    messages_at_once: int | None = Field(default=None, ge=1, le=MAX_BATCH)
    """Messages of a batch that its code processes side by side; null for a runner that takes one message in a call."""
    constant_time: bool | None = None
    """Claim of the code: no branch and no table look-up depends on a secret. Null in listings that lack the claim."""
    default: bool = False
    available: bool
    reason: Text | None = None
    requires: list[Line] = []
    source: Line = ""
    vectors_sha256: Sha256 | None = None
    masking: MaskedForms | None = None
    """Null for an unmasked implementation, and in listings of runners without masked ones."""
    operations: list[Operation] = Field(default=[], max_length=16)
    """Operations that can be timed; a cipher that declares none encrypts, decrypts and sets up its key."""
    process: list[OperationName] = Field(default=[], max_length=4)
    """Of these, the ones that ``process`` executes one after the other; empty if it executes none, and for a cipher."""

    @field_validator("operations")
    @classmethod
    def _each_name_once(cls, operations: list[Operation]) -> list[Operation]:
        repeated = [name for name, count in Counter(one.name for one in operations).items() if count > 1]
        if repeated:
            raise ValueError(f"two operations are named {repeated[0]}; expected each name once")
        return operations

    @model_validator(mode="after")
    def _process_executes_operations(self) -> Self:
        declared = [one.name for one in self.operations]
        unknown = [name for name in self.process if name not in declared or name in _TAKEN]
        if unknown or len(set(self.process)) < len(self.process):
            raise ValueError(
                f"process executes {', '.join(self.process)}; expected each once of {', '.join(declared) or 'none'}"
            )
        return self


class ListReport(Report):
    """Output of ``list``."""

    protocol: Literal[1, 2]
    """1: stored with the builds of earlier versions, which declare no ``process``."""
    provider: ProviderName
    version: Line
    build: Document
    implementations: list[Implementation]
    generators: list[Generator] = Field(default=[], max_length=MAX_GENERATORS)
    """Random generators for masked variants, also in listings without masked ones; empty in those of languages."""


class MaskingReport(Report):
    """Form of a measured masked implementation, and the random bytes of its work."""

    shares: Shares
    degree: Degree
    generator: GeneratorName
    random_bytes: Count
    """Consumed by gadgets and sharings: of both directions under ``process``, of one call under ``latency``."""
    random_wall_ns: float = Field(ge=0)
    """Time in which the generator draws as many bytes alone, measured after the timed work."""


class Usage(Report):
    """Counters of the kernel for the process since its start."""

    user_us: Count
    system_us: Count
    minor_faults: Count
    major_faults: Count
    voluntary_switches: Count
    involuntary_switches: Count


class PhaseReading(Usage):
    """Resources at the end of a phase. ``begin``: at its start; null for ``start`` and in older reports."""

    phase: PhaseName
    rss_bytes: ByteCount | None
    begin: Usage | None = None


class InputOutput(Report):
    """Bytes read and written until work end, from /proc/self/io; null with a reason if the kernel does not count them.

    ``instruments_read_bytes``: the part of ``read_bytes`` that the readings between the phases caused.
    """

    read_bytes: ByteCount | None = None
    written_bytes: ByteCount | None = None
    storage_read_bytes: ByteCount | None = None
    storage_written_bytes: ByteCount | None = None
    instruments_read_bytes: ByteCount = 0
    reason: Text | None = None


class PhaseValues(Report):
    """Values by phase, and the reason for those that are null: ``{"encrypt": 5, "decrypt": null, "reason": "…"}``."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Count | NonNegativeFloat | None] = Field(init=False)

    reason: Text | None = None

    @property
    def by_phase(self) -> dict[str, int | float | None]:
        """Values by phase."""
        return self.__pydantic_extra__


class PhaseCounts(PhaseValues):
    """Values by phase that are counted."""

    __pydantic_extra__: dict[str, Count | None] = Field(init=False)  # type: ignore[assignment] # mypy: a dict is invariant


class CoreClock(Report):
    """Clock of the core around one timing, from chains of multiplications; hz is null with a reason if it drifted."""

    before_hz: float | None = None
    after_hz: float | None = None
    hz: float | None = None
    reason: Text | None = None


class _RunnerOutput(Report):
    """Output of a command about one implementation."""

    protocol: Literal[2]
    provider: ProviderName
    algorithm: AlgorithmId
    variant: Line


class ProcessReport(_RunnerOutput):
    """Output of ``process`` and ``noop``."""

    command: Literal["process", "noop"]
    input_bytes: ByteCount
    padded_bytes: ByteCount
    output_bytes: ByteCount
    begins_ns: dict[PhaseName, Nanoseconds]
    """Start of each phase on CLOCK_MONOTONIC, in their order; the runner takes its readings between two phases."""
    stamps_ns: dict[PhaseName, Nanoseconds]
    """End of each phase, and ``main``, where ``start`` ends; the work ends with the last one."""
    phases: list[PhaseReading] = Field(min_length=1)
    peak_rss_bytes: ByteCount | None
    baseline_rss_bytes: ByteCount | None
    buffers_bytes: ByteCount
    cycles: PhaseCounts
    instructions: PhaseCounts
    counters: dict[Line, PhaseCounts] = {}
    """Values by FURTHER_COUNTERS; absent in older reports, like the four fields that follow."""
    io: InputOutput | None = None
    core_clock: CoreClock | None = None
    derived_cycles: PhaseValues | None = None
    """Time of a phase multiplied by the clock of the core: derived, not counted."""
    clock_probe_wall_ns: Nanoseconds | None = None
    """Time of the clock measurement before the timed phases, which is part of the work."""
    masking: MaskingReport | None = None
    garbage_collections: PhaseCounts | None = None
    """Collections during these phases; null for native runners, which collect nothing."""
    begun_ns: Nanoseconds | None = None
    """Moment at which a driver became the program, where its work begins; null for native runners."""
    driver_cpu_ns: Nanoseconds | None = None
    """Processor time of the driver of a program in another language, which is no time of the program."""
    output_sha256: Sha256 | None
    """Of the operation whose check is ``digest``; null if the sequence has none."""
    verified: bool


class ClockQuality(Report):
    """Resolution and reading time of the clock of a latency execution, as observed by the runner."""

    resolution_ns: Nanoseconds
    reading_ns: Nanoseconds


class ColdTiming(Report):
    """Timing of the first call of an operation in the process."""

    wall_ns: Nanoseconds
    cpu_ns: Nanoseconds
    cycles: Count | None
    instructions: Count | None


class ColdTimings(Report):
    """First key setup (null without a key), and first call of another operation (null if key setup is timed)."""

    key_setup: ColdTiming | None = None
    call: ColdTiming | None


class LatencyTiming(ColdTiming):
    """Consecutive calls timed together; every value is their total.

    ``derived_cycles``: CPU time multiplied by the clock of the core, not counted. ``impossible``: fewer cycles than
    ``min_cycles`` a call; null where either is unknown.
    """

    iterations: int = Field(ge=1)
    counters: dict[Line, Count | None] = {}
    """Values by FURTHER_COUNTERS; empty in older reports."""
    core_clock: CoreClock
    derived_cycles: float | None
    impossible: bool | None
    garbage_collections: Count | None = None
    """Collections during the timing; null where there are none to count."""


class WarmTimings(Report):
    """The calls after the cold one, each timed alone: an interpreter or just-in-time compiler still adapts to them."""

    calls: Count
    wall_ns: list[Nanoseconds] = Field(min_length=1, max_length=1000)


class Settling(Report):
    """Batches of calls between calibration and the timings, until they get no faster.

    ``calls``: all calls before the first timing. ``settled``: false if the batches still got faster at the time limit.
    """

    rule: Line
    batches: Count
    calls: Count
    wall_ns: Nanoseconds
    settled: bool


class LatencyReport(_RunnerOutput):
    """Output of ``latency``."""

    command: Literal["latency"]
    operation: OperationName
    messages: int = Field(default=1, ge=1, le=MAX_BATCH)
    """Messages of a call."""
    keys: Keys = "one"
    key_setup: KeySetup = "apart"
    message_bytes: ByteCount
    associated_data_bytes: ByteCount
    fill: Fill
    clock: ClockQuality
    min_timing_ns: Nanoseconds
    cold: ColdTimings
    timings: list[LatencyTiming] = Field(min_length=1)
    counters_reason: Line | None
    """Reason if ``cycles`` and ``instructions`` are null."""
    counter_reasons: dict[Line, Line | None] = {}
    """Reasons by other counter that is null."""
    multiply_cycles: int | None
    min_cycles: Count | None
    output_sha256: Sha256
    output_check: OutputCheck | None = None
    """As declared for the operation; null for the operations of a cipher."""
    verified_by: list[Line]
    verified: bool
    peak_rss_bytes: ByteCount | None = None
    """VmHWM after the last timing, bytes."""
    baseline_rss_bytes: ByteCount | None = None
    masking: MaskingReport | None = None
    warm: WarmTimings | None = None
    """Null for native runners, like the next two: their code does not change while it is executed."""
    settling: Settling | None = None
    garbage_collections_reason: Line | None = None
    """Reason if the collections of the timings are null."""


class RunnerFootprint(_RunnerOutput):
    """Output of ``footprint``: context and stack of one implementation, measured on a painted stack."""

    command: Literal["footprint"]
    context_bytes: ByteCount
    stack_bytes: dict[OperationName, ByteCount] = Field(max_length=8)
    """Deepest stack of each operation."""


class SecretsReport(Report):
    """Errors of memcheck with secret inputs: branches and addresses that depend on a secret."""

    message_bytes: list[ByteCount] = Field(min_length=1, max_length=16)
    """Length of each message, in order; the last one has the errors, if there are any."""
    associated_data_bytes: ByteCount
    key_setup_errors: Count
    encrypt_errors: Count
    decrypt_errors: Count

    @property
    def errors(self) -> int:
        """Errors of all operations: a lower bound, because what is loaded from a secret address counts as public."""
        return self.key_setup_errors + self.encrypt_errors + self.decrypt_errors


class TimingReport(Report):
    """Comparison of the times of calls with fixed and with random inputs."""

    calls: Count
    message_bytes: ByteCount
    t: float = Field(allow_inf_nan=False)
    """Welch's t of the crop with the largest absolute value."""


class ExaminedForm(Report):
    """Form of a masked variant that was examined."""

    shares: Shares
    degree: Degree


class RunnerConstantTime(_RunnerOutput):
    """One line of ``constant-time``."""

    masking: ExaminedForm | None
    claimed: bool
    cpu_features: list[CpuFeature] = Field(max_length=64)
    """Features of the processor that the process saw."""
    secrets: SecretsReport | None
    secrets_reason: Text | None
    timing: TimingReport | None
    timing_reason: Text | None


class ErrorLine(Report):
    """JSON line on the standard error of a runner that ended with an error."""

    error: Line
    detail: Text
