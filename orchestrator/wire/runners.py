"""What a runner prints: protocol version 1 (docs/measurement.md)."""

from typing import Literal

from pydantic import Field

from orchestrator.wire.base import AlgorithmId, ByteCount, Count, Nanoseconds, ProviderName, Report, Sha256

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


class PhaseReading(Report):
    """Resources at the end of a phase, counted since the process was made."""

    phase: str
    user_us: Count
    system_us: Count
    minor_faults: Count
    major_faults: Count
    voluntary_switches: Count
    involuntary_switches: Count
    rss_bytes: ByteCount | None


class HardwareCounts(Report):
    """One hardware counter by cipher phase, or null and the kernel's reason."""

    encrypt: Count | None
    decrypt: Count | None
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
    cycles: HardwareCounts
    instructions: HardwareCounts
    ciphertext_sha256: Sha256
    verified: bool


class ErrorLine(Report):
    """The JSON line on standard error of a runner that ended with an error."""

    error: str
    detail: str
