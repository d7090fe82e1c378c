"""What a runner prints: protocol version 1 (docs/measurement.md)."""

from typing import Literal

from pydantic import Field

from orchestrator.wire.base import AlgorithmId, ByteCount, Count, Nanoseconds, ProviderName, Report, Sha256
from orchestrator.wire.messages import Fill, KeySetup, LatencyOperation

PROTOCOL_VERSION = 1

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
"""Counters beside cycles and instructions: the first two of the processor, the others of the kernel."""

WORK_PHASES = ("start", "load", "key_setup", "encrypt", "decrypt")


class Implementation(Report):
    """One row of ``list``: an algorithm by this provider in one variant, or one that it lacks (variant null)."""

    algorithm: AlgorithmId
    variant: str | None
    kind: Literal["block-mode", "stream", "aead"] | None = None
    key_bytes: ByteCount = 0
    nonce_bytes: ByteCount = 0
    tag_bytes: ByteCount = 0
    block_bytes: ByteCount = 0
    whole_blocks_only: bool = False
    constant_time: bool = False
    default: bool = False
    available: bool
    reason: str | None = None
    requires: list[str] = []
    source: str = ""
    vectors_sha256: Sha256 | None = None


class ListReport(Report):
    """What ``list`` says."""

    protocol: Literal[1]
    provider: ProviderName
    version: str
    build: dict[str, object]
    implementations: list[Implementation]


class Stamps(Report):
    """The end of each phase on CLOCK_MONOTONIC, nanoseconds; work ends with ``decrypt``."""

    main: Nanoseconds
    load: Nanoseconds
    key_setup: Nanoseconds
    encrypt: Nanoseconds
    decrypt: Nanoseconds


class Begins(Report):
    """The begin of each phase; the readings between two phases lie between one's end and the next one's begin."""

    load: Nanoseconds
    key_setup: Nanoseconds
    encrypt: Nanoseconds
    decrypt: Nanoseconds


class Usage(Report):
    """What the kernel has counted for the process since it was made."""

    user_us: Count
    system_us: Count
    minor_faults: Count
    major_faults: Count
    voluntary_switches: Count
    involuntary_switches: Count


class PhaseReading(Usage):
    """Resources at the end of a phase. ``begin``: right before it began; null for ``start``, and in older reports."""

    phase: str
    rss_bytes: ByteCount | None
    begin: Usage | None = None


class InputOutput(Report):
    """Bytes moved until work end, from /proc/self/io; null and the reason where the kernel does not count them.

    ``instruments_read_bytes`` of ``read_bytes`` were read by the readings of the phases themselves.
    """

    read_bytes: ByteCount | None = None
    written_bytes: ByteCount | None = None
    storage_read_bytes: ByteCount | None = None
    storage_written_bytes: ByteCount | None = None
    instruments_read_bytes: ByteCount = 0
    reason: str | None = None


class PhaseCounts(Report):
    """One counter by cipher phase, or null and the kernel's reason."""

    encrypt: Count | None = None
    decrypt: Count | None = None
    reason: str | None = None


class CoreClock(Report):
    """The clock of the core around one timing, by chains of multiplications; hz is null where it drifted, and why."""

    before_hz: float | None = None
    after_hz: float | None = None
    hz: float | None = None
    reason: str | None = None


class DerivedCycles(Report):
    """Time of a cipher phase × the clock of the core: derived, not counted."""

    encrypt: float | None = None
    decrypt: float | None = None
    reason: str | None = None


class ProcessReport(Report):
    """What ``process`` and ``noop`` say."""

    protocol: Literal[1]
    command: Literal["process", "noop"]
    provider: ProviderName
    algorithm: AlgorithmId
    variant: str
    input_bytes: ByteCount
    padded_bytes: ByteCount
    output_bytes: ByteCount
    stamps_ns: Stamps
    begins_ns: Begins
    phases: list[PhaseReading] = Field(min_length=1)
    peak_rss_bytes: ByteCount | None
    baseline_rss_bytes: ByteCount | None
    buffers_bytes: ByteCount
    cycles: PhaseCounts
    instructions: PhaseCounts
    counters: dict[str, PhaseCounts] = {}
    """By FURTHER_COUNTERS; empty in older reports, as the four that follow."""
    io: InputOutput | None = None
    core_clock: CoreClock | None = None
    derived_cycles: DerivedCycles | None = None
    clock_probe_wall_ns: Nanoseconds | None = None
    """What finding the clock took before encrypting: part of the work."""
    ciphertext_sha256: Sha256
    verified: bool


class ClockQuality(Report):
    """How fine the clock of a latency execution is, as the runner observed it."""

    resolution_ns: Nanoseconds
    reading_ns: Nanoseconds


class ColdTiming(Report):
    """The first call of its kind in the process."""

    wall_ns: Nanoseconds
    cpu_ns: Nanoseconds
    cycles: Count | None
    instructions: Count | None


class ColdTimings(Report):
    """The first key setup, and the first encryption or decryption (null where key setup is what is timed)."""

    key_setup: ColdTiming
    call: ColdTiming | None


class LatencyTiming(Report):
    """So many calls in a row, timed once; every number is of all of them together.

    ``derived_cycles`` are CPU time × the clock of the core, not counted. ``impossible``: fewer cycles than
    ``min_cycles`` a call; null where either is unknown.
    """

    iterations: int = Field(ge=1)
    wall_ns: Nanoseconds
    cpu_ns: Nanoseconds
    cycles: Count | None
    instructions: Count | None
    counters: dict[str, Count | None] = {}
    """By FURTHER_COUNTERS; empty in older reports."""
    core_clock: CoreClock
    derived_cycles: float | None
    impossible: bool | None


class LatencyReport(Report):
    """What ``latency`` says."""

    protocol: Literal[1]
    command: Literal["latency"]
    provider: ProviderName
    algorithm: AlgorithmId
    variant: str
    operation: LatencyOperation
    key_setup: KeySetup = "apart"
    message_bytes: ByteCount
    associated_data_bytes: ByteCount
    fill: Fill
    clock: ClockQuality
    min_timing_ns: Nanoseconds
    cold: ColdTimings
    timings: list[LatencyTiming] = Field(min_length=1)
    counters_reason: str | None
    """Why ``cycles`` and ``instructions`` are null."""
    counter_reasons: dict[str, str | None] = {}
    """Why the others are."""
    multiply_cycles: int | None
    min_cycles: Count | None
    output_sha256: Sha256
    verified_by: list[str]
    verified: bool
    peak_rss_bytes: ByteCount | None = None
    """VmHWM after the last timing."""
    baseline_rss_bytes: ByteCount | None = None


class RunnerFootprint(Report):
    """What ``footprint`` says: memory that one implementation takes while it works, found on a painted stack."""

    protocol: Literal[1]
    command: Literal["footprint"]
    provider: ProviderName
    algorithm: AlgorithmId
    variant: str
    context_bytes: ByteCount
    key_setup_stack_bytes: ByteCount
    encrypt_stack_bytes: ByteCount
    decrypt_stack_bytes: ByteCount


class ErrorLine(Report):
    """The JSON line on standard error of a runner that ended with an error."""

    error: str
    detail: str
