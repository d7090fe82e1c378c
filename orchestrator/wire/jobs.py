"""Jobs: ordered slices of a run's executions, each sent to one agent as one Celery task.

A job contains names of algorithms and chunks, never commands or paths.
"""

import hashlib
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from orchestrator.shared.values.forms import Form
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
from orchestrator.wire.messages import (
    CIPHER_SEQUENCE,
    Call,
    Degree,
    Fill,
    GeneratorName,
    KeyFill,
    KeySetup,
    OperationName,
    OperationSequence,
    Shares,
    TimedBytes,
    check_of,
)
from orchestrator.wire.plans import Conditions

Purpose = Literal["warm-up", "timing", "memory", "shell", "blocked", "energy"]
"""Statistics of times use only ``timing``. ``shell`` and ``blocked`` repeat a case by another method: started and
watched through a shell, and in blocked order. ``energy`` is a window of repeated executions with one record."""


class _Case(Message):
    """Fields of both protocols: an implementation of a build, by names that the daemon resolves in its cache."""

    case_id: int = Field(ge=1)
    build_key: Sha256
    provider: ProviderName
    algorithm: AlgorithmId
    variant: VariantName
    shares: Shares | None = None
    """Form of a masked variant; null for an unmasked implementation, like the next two."""
    masking: Degree | None = None
    generator: GeneratorName | None = None

    @model_validator(mode="after")
    def _a_whole_form(self) -> Self:
        values = (self.shares, self.masking, self.generator)
        if any(value is None for value in values) and any(value is not None for value in values):
            raise ValueError("shares, masking and generator belong together: expected all three or none")
        return self

    @property
    def form(self) -> Form:
        """Form of the variant."""
        return Form.of(self)


def _as_of_version_4(operation: object) -> object:
    """Return the operations of a cipher's case in a job that was sent before an upgrade."""
    return CIPHER_SEQUENCE if operation == "encrypt-decrypt" else operation


class ProcessCase(_Case):
    """Operations on one chunk in a new process, one after the other."""

    protocol: Literal["process"]
    operation: Annotated[OperationSequence, BeforeValidator(_as_of_version_4)]
    """``noop`` has the phases of a cipher, without work."""
    chunk_sha256: Sha256
    chunk_bytes: ByteCount


class LatencyCase(_Case):
    """Calls timed inside one process; the runner generates message, key and nonce."""

    protocol: Literal["latency"]
    operation: OperationName
    message_bytes: TimedBytes
    associated_data_bytes: TimedBytes
    fill: Fill
    key_fill: KeyFill
    key_setup: KeySetup
    timings: int = Field(ge=1, le=1000)
    min_timing_ms: float = Field(ge=0.1, le=10_000)


JobCase = Annotated[ProcessCase | LatencyCase, Field(discriminator="protocol")]


def latency_input_sha256(
    fill: Fill, key_fill: KeyFill, message_bytes: int, associated_data_bytes: int, operation: str = "encrypt"
) -> str:
    """Return the id of a latency input: equal inputs of an algorithm must have equal outputs.

    A decryption has the id of the encryption that it inverts; batches of a number of messages have their own.
    """
    words = f"latency input 1: {fill} {message_bytes} {associated_data_bytes} {key_fill}"
    call = Call.of(operation)
    if call.is_batch:
        words += f" {call.messages} messages" + (" with own keys" if call.keys == "each" else "")
    elif check_of(operation) is None:
        words += f" {operation}"
    return hashlib.sha256(words.encode()).hexdigest()


class JobExecution(Message):
    """One repetition of one case at its place in the randomized order."""

    case_id: int = Field(ge=1)
    repetition: int = Field(ge=1)
    purpose: Purpose = "timing"
    position: int = Field(ge=0)


class JobMessage(Message):
    """Body of the task ``ciphermark.execute_job``, with the executions that have no record yet."""

    version: Literal[1]
    job_id: int = Field(ge=1)
    run_id: RunId
    agent_id: AgentId
    timeout_seconds: float = Field(gt=0)
    output_limit_bytes: int = Field(ge=1024)
    memory: Literal["with-timing", "apart"] = "with-timing"
    """``apart``: executions whose purpose is timing are not sampled."""
    energy_window_seconds: float | None = Field(default=None, gt=0)
    """Duration of the executions whose purpose is energy."""
    conditions: Conditions = Conditions()
    cases: list[JobCase] = Field(min_length=1)
    executions: list[JobExecution] = Field(min_length=1)

    @model_validator(mode="after")
    def _every_execution_has_its_case(self) -> "JobMessage":
        known = {case.case_id for case in self.cases}
        missing = sorted({execution.case_id for execution in self.executions} - known)
        if missing:
            raise ValueError(f"executions refer to cases {missing[:5]}, which the job does not contain")
        return self


class Claim(Message):
    """Claim of a job before its first execution (POST /api/v1/jobs/{id}/claim)."""

    session_id: SessionId


class ClaimGranted(Message):
    """Granted claim; a refusal is a 409 with the state (cancelled, done, lost, paused)."""

    attempt: int = Field(ge=1)
    """Number of sessions of the daemon that have started this job, including this one."""
    claim_id: int | None = None
    """Id of the claim, which the records made under it name; null if the service did not answer the claim."""
    recorded: list[int] = []
    """Positions of the job's executions that have a record already and are not made again."""


class Release(Message):
    """Release of a job that was stopped between two executions, not by a crash (POST /api/v1/jobs/{id}/release)."""

    session_id: SessionId
    reason: Literal["paused", "shutdown", "cancelled"]
