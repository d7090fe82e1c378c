"""Records: results of finished executions, from the daemon to the service (POST /api/v1/records)."""

from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeFloat, model_validator

from orchestrator.wire.base import (
    ByteCount,
    Count,
    Line,
    Message,
    Nanoseconds,
    SessionId,
    Sha256,
    Text,
    UncheckedTime,
)
from orchestrator.wire.jobs import Purpose
from orchestrator.wire.launcher import MAX_CURVE_SAMPLES
from orchestrator.wire.messages import CIPHER_SEQUENCE, PhaseName, phases_of

MAX_RECORD_BYTES = MAX_CURVE_SAMPLES * 48 + 1024 * 1024
"""Size of the longest record as JSON: a sample has at most 48 digits and commas, everything else less than 1 MiB."""
MAX_BATCH_BYTES = 4 * 1024 * 1024
"""Size at which a daemon ends a batch; a longer record is sent alone."""


class CurveSamples(Message):
    """Samples of the monitor during one execution, in columns of equal length.

    ``at_ns`` counts from the spawn. A column without a source is empty.
    """

    at_ns: list[Nanoseconds] = Field(max_length=MAX_CURVE_SAMPLES)
    rss_bytes: list[ByteCount] = []
    cpu_ns: list[Nanoseconds] = []
    """User and system time since the spawn, with the resolution of the kernel's ticks."""
    threads: list[Count] = []
    source: Literal["proc", "psutil"] = "proc"

    @model_validator(mode="after")
    def _columns_agree(self) -> "CurveSamples":
        for name in ("rss_bytes", "cpu_ns", "threads"):
            length = len(getattr(self, name))
            if length not in (0, len(self.at_ns)):
                raise ValueError(f"column {name} has {length} values, expected {len(self.at_ns)} or none")
        return self


class TimingSeries(Message):
    """Timings of one latency execution, in columns of equal length.

    Every value is the total of all iterations of its timing. The record has the reasons of null values, under
    ``call_cycles`` and ``core_clock_hz``.
    """

    iterations: list[Annotated[int, Field(ge=1)]] = Field(min_length=1, max_length=1000)
    wall_ns: list[Nanoseconds]
    cpu_ns: list[Nanoseconds]
    cycles: list[Count | None]
    instructions: list[Count | None]
    core_clock_hz: list[NonNegativeFloat | None]
    derived_cycles: list[NonNegativeFloat | None]

    @model_validator(mode="after")
    def _columns_agree(self) -> "TimingSeries":
        for name in type(self).model_fields:
            length = len(getattr(self, name))
            if length != len(self.iterations):
                raise ValueError(f"column {name} has {length} values, expected {len(self.iterations)}")
        return self


MAX_REPEATS = 3
"""How often an execution is repeated after an infrastructure failure."""


class Failure(Message):
    """Reason of an execution without a result."""

    error: Line = Field(max_length=64)
    """``runner-crashed``, ``runner-killed`` (by another process), ``out-of-memory`` (by the kernel),
    ``runner-timeout``, ``runner-output-exceeded``, ``runner-refused``,
    ``protocol-mismatch``, ``known-answers-failed``, ``not-verified`` (state ``wrong``), ``impossible-timing`` (state
    ``wrong``: fewer cycles than the cipher's lower bound), ``build-missing``, ``build-failed`` (state ``skipped``),
    ``chunk-missing``, ``chunk-damaged``, ``file-changed`` (during the execution), ``launch-failed``."""
    detail: Text = Field(max_length=4000)
    exit_code: int | None = None
    signal: int | None = None
    stderr_tail: Text = Field(default="", max_length=8192)


class _Attempt(Message):
    """When an attempt at an execution began, and under which claim."""

    claim_id: int | None = Field(default=None, ge=1)
    """Claim under which it was made; null if the service did not answer the claim."""
    since_claim_ns: Nanoseconds | None = None
    """Time between the answer to the claim and the start of the execution, on a clock that no change of the wall clock
    moves; null without an answered claim."""
    started_at: UncheckedTime


class FailedAttempt(_Attempt):
    """Attempt at an execution that failed by no fault of the runner and was repeated."""

    failure: Failure


class Record(_Attempt):
    """Result of one execution. The first record of (case, repetition, purpose) is kept."""

    case_id: int = Field(ge=1)
    repetition: int = Field(ge=1)
    purpose: Purpose = "timing"
    position: int = Field(ge=0)
    job_id: int = Field(ge=1)
    attempt: int = Field(ge=1)
    session_id: SessionId
    inventory_sha256: Sha256
    state: Literal["ok", "failed", "wrong", "skipped"]
    """``wrong``: the runner's comparison failed; the service finds other wrong results by their digests."""
    work_wall_ns: Nanoseconds | None = None
    process_wall_ns: Nanoseconds | None = None
    phase_wall_ns: dict[PhaseName, Nanoseconds] = Field(default={}, max_length=8)
    """Time of each operation of a process, in their order; all other readings of a phase are in ``readings``."""
    work_cpu_ns: Nanoseconds | None = None
    call_wall_ns: NonNegativeFloat | None = None
    """Time of one call: the median over the timings of a latency execution."""
    call_cpu_ns: NonNegativeFloat | None = None
    peak_rss_bytes: ByteCount | None = None
    input_bytes: ByteCount | None = None
    output_sha256: Sha256 | None = None
    """SHA-256 of the output whose check is ``digest``, such as a ciphertext; null for other operations."""
    disturbances: list[Line] = Field(default=[], max_length=32)
    """Disturbance marks (``major-fault``, ``migrated``, ``others-on-core``); empty if undisturbed."""
    readings: dict[Line, int | float | None] = {}
    """All other readings by their names in the metrics registry."""
    absent: dict[Line, Line] = {}
    """Reasons by reading that is null."""
    provenance: dict[Line, Line] = {}
    """Sources by reading whose source differs between machines, for example the meter of an energy."""
    curve: CurveSamples | None = None
    timings: TimingSeries | None = None
    failure: Failure | None = None
    earlier_attempts: list[FailedAttempt] = Field(default=[], max_length=MAX_REPEATS)
    """Attempts that ended with an infrastructure failure (launcher, kill from outside, memory, disk)."""

    @model_validator(mode="before")
    @classmethod
    def _as_of_version_4(cls, given: Any) -> Any:
        """Return a record that a daemon stored before its upgrade in the fields of this version."""
        phases = phases_of(CIPHER_SEQUENCE)
        former = {"ciphertext_sha256", *(f"{phase}_wall_ns" for phase in phases)}
        if not isinstance(given, dict) or former.isdisjoint(given):
            return given
        walls = {phase: given.get(f"{phase}_wall_ns") for phase in phases}
        return {name: value for name, value in given.items() if name not in former} | {
            "output_sha256": given.get("ciphertext_sha256"),
            "phase_wall_ns": {phase: wall_ns for phase, wall_ns in walls.items() if wall_ns is not None},
        }

    @model_validator(mode="after")
    def _a_result_or_a_failure(self) -> "Record":
        worked = self.output_sha256 is not None or bool(self.phase_wall_ns)
        of_process = self.work_wall_ns is not None and worked
        of_latency = self.call_wall_ns is not None and self.timings is not None
        if self.state == "ok" and not (of_process or of_latency):
            raise ValueError(
                "an ok record requires work_wall_ns and phase_wall_ns or output_sha256, or call_wall_ns and timings"
            )
        if self.state in ("failed", "skipped") and self.failure is None:
            raise ValueError(f"a {self.state} record requires a failure")
        return self


class RecordBatch(Message):
    """Records that a daemon sends in one request, between executions (POST /api/v1/records)."""

    records: list[Record] = Field(min_length=1, max_length=1000)


class RecordBatchResponse(Message):
    """Result of a batch: every record was stored, was known, or is refused with a reason."""

    stored: Count
    known: Count
    """Number of records whose execution already had one, which is kept."""
    refused: dict[Line, Line] = {}
    """Reasons by ``case/repetition/purpose`` of refused records (unknown case, another agent's case)."""
