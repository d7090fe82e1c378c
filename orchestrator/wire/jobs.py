"""A job: an ordered slice of a run's executions, sent to one agent as one Celery task.

It names algorithms and chunks, never commands or paths.
"""

import hashlib
from typing import Annotated, Literal

from pydantic import Field, model_validator

from orchestrator.wire.base import (
    AgentId,
    AlgorithmId,
    ByteCount,
    Message,
    ProviderName,
    RunId,
    SessionId,
    Sha256,
    VariantName,
)
from orchestrator.wire.messages import Fill, KeyFill, KeySetup, LatencyOperation, TimedBytes
from orchestrator.wire.plans import Conditions

Purpose = Literal["warm-up", "timing", "memory", "energy"]
"""Statistics of times use ``timing`` alone. ``energy`` is a window of repeated executions, with one record."""


class _Case(Message):
    """What both protocols have in common: an implementation of a build, by names the daemon resolves in its cache."""

    case_id: int = Field(ge=1)
    build_key: Sha256
    provider: ProviderName
    algorithm: AlgorithmId
    variant: VariantName


class ProcessCase(_Case):
    """One chunk through a fresh process."""

    protocol: Literal["process"]
    operation: Literal["encrypt-decrypt", "noop"]
    chunk_sha256: Sha256
    chunk_bytes: ByteCount


class LatencyCase(_Case):
    """Calls timed inside one process; the runner makes message, key and nonce by itself."""

    protocol: Literal["latency"]
    operation: LatencyOperation
    message_bytes: TimedBytes
    associated_data_bytes: TimedBytes
    fill: Fill
    key_fill: KeyFill
    key_setup: KeySetup
    timings: int = Field(ge=1, le=1000)
    min_timing_ms: float = Field(ge=0.1, le=10_000)


JobCase = Annotated[ProcessCase | LatencyCase, Field(discriminator="protocol")]


def latency_input_sha256(fill: Fill, key_fill: KeyFill, message_bytes: int, associated_data_bytes: int) -> str:
    """Return the name of a latency message: cases that share it and the algorithm must give the same ciphertext."""
    words = f"latency input 1: {fill} {message_bytes} {associated_data_bytes} {key_fill}"
    return hashlib.sha256(words.encode()).hexdigest()


class JobExecution(Message):
    """One repetition of one case at its place in the randomised order."""

    case_id: int = Field(ge=1)
    repetition: int = Field(ge=1)
    purpose: Purpose = "timing"
    position: int = Field(ge=0)


class JobMessage(Message):
    """The body of the task ``ciphermark.execute_job``: only executions that have no record yet."""

    version: Literal[1]
    job_id: int = Field(ge=1)
    run_id: RunId
    agent_id: AgentId
    timeout_seconds: float = Field(gt=0)
    output_limit_bytes: int = Field(ge=1024)
    memory: Literal["with-timing", "apart"] = "with-timing"
    """``apart``: executions whose purpose is timing are not sampled."""
    energy_window_seconds: float | None = Field(default=None, gt=0)
    """Of executions whose purpose is energy."""
    conditions: Conditions = Conditions()
    cases: list[JobCase] = Field(min_length=1)
    executions: list[JobExecution] = Field(min_length=1)

    @model_validator(mode="after")
    def _every_execution_has_its_case(self) -> "JobMessage":
        known = {case.case_id for case in self.cases}
        missing = sorted({execution.case_id for execution in self.executions} - known)
        if missing:
            raise ValueError(f"executions name cases {missing[:5]} that the job does not describe")
        return self


class Claim(Message):
    """POST /api/v1/jobs/{id}/claim, before the first execution of a job."""

    session_id: SessionId


class ClaimGranted(Message):
    """The claim is granted; a 409 says why not (cancelled, done, lost, paused)."""

    attempt: int = Field(ge=1)
    """How many sessions of the daemon have started this job, this one included."""


class Release(Message):
    """POST /api/v1/jobs/{id}/release: stopped in order between executions (pause, shutdown); not a crash."""

    session_id: SessionId
    reason: Literal["paused", "shutdown", "cancelled"]
