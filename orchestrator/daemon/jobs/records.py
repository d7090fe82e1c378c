"""Records of executions, made from a measurement or from the reason why there is none."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Literal

from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.measurement.instrument.outcome import WRONG
from orchestrator.wire.jobs import JobExecution, JobMessage
from orchestrator.wire.records import FailedAttempt, Failure, Record


@dataclass(frozen=True)
class RecordContext:
    """The facts that all records of a job share."""

    job: JobMessage
    attempt: int
    session_id: str
    inventory_sha256: str
    recorded: frozenset[int] = frozenset()
    """Positions of executions whose record the service has already."""
    claim_id: int | None = None
    """None if the service did not answer the claim, like the next."""
    claimed_boot_ns: int | None = None
    """Moment of the answer to the claim, CLOCK_BOOTTIME."""
    begun_boot_ns: int | None = None
    """Moment before the execution, CLOCK_BOOTTIME."""

    @property
    def since_claim_ns(self) -> int | None:
        """Time between the answer to the claim and the execution."""
        if self.claimed_boot_ns is None or self.begun_boot_ns is None:
            return None
        return self.begun_boot_ns - self.claimed_boot_ns


def record_of(
    context: RecordContext,
    execution: JobExecution,
    measurement: Measurement,
    earlier_attempts: Sequence[FailedAttempt] = (),
) -> Record:
    """Return the record of a measured execution, with its attempts that failed by no fault of the runner."""
    state: Literal["ok", "failed", "wrong"] = "ok"
    if measurement.failure is not None:
        state = "wrong" if measurement.failure.error in WRONG else "failed"
    return Record.model_validate(
        {
            **_common(context, execution),
            **measurement.columns,
            "phase_wall_ns": measurement.phase_wall_ns,
            "started_at": measurement.started_at,
            "state": state,
            "output_sha256": measurement.output_sha256,
            "disturbances": measurement.marks,
            "readings": measurement.readings,
            "absent": measurement.absent,
            "provenance": measurement.provenance,
            "curve": asdict(measurement.curve) if measurement.curve else None,
            "timings": measurement.timings,
            "failure": measurement.failure,
            "earlier_attempts": list(earlier_attempts),
        }
    )


def record_of_failure(
    context: RecordContext, execution: JobExecution, failure: Failure, earlier_attempts: Sequence[FailedAttempt] = ()
) -> Record:
    """Return the record of an execution that could not be started."""
    return Record.model_validate(
        {
            **_common(context, execution),
            "started_at": datetime.now(UTC),
            "state": "failed",
            "failure": failure,
            "earlier_attempts": list(earlier_attempts),
        }
    )


def _common(context: RecordContext, execution: JobExecution) -> dict[str, object]:
    return {
        **execution.model_dump(),
        "job_id": context.job.job_id,
        "attempt": context.attempt,
        "session_id": context.session_id,
        "inventory_sha256": context.inventory_sha256,
        "claim_id": context.claim_id,
        "since_claim_ns": context.since_claim_ns,
    }
