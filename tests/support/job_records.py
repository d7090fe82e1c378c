"""Jobs, records and builds for the daemon's unit tests."""

from datetime import UTC, datetime
from typing import Any

from orchestrator.wire.jobs import JobExecution, JobMessage
from orchestrator.wire.records import Failure, Record

AGENT_ID = "abcdefghij01"
SESSION_ID = "0" * 32
SHA256 = "ab" * 32


def job(executions: int = 3, **changes: Any) -> JobMessage:
    """Return a job of one case."""
    case = {
        "case_id": 1, "build_key": SHA256, "provider": "own", "algorithm": "aes-128-ctr", "variant": "ref64",
        "protocol": "process", "operation": "key-setup+encrypt+decrypt", "chunk_sha256": SHA256, "chunk_bytes": 5,
    }  # fmt: skip
    facts: dict[str, Any] = {
        "version": 1, "job_id": 9, "run_id": "abcdefghij99", "agent_id": AGENT_ID, "timeout_seconds": 5,
        "output_limit_bytes": 65536, "cases": [case],
        "executions": [{"case_id": 1, "repetition": n + 1, "position": n} for n in range(executions)],
    }  # fmt: skip
    return JobMessage.model_validate(facts | changes)


def record(
    repetition: int = 1, case_id: int = 1, job_id: int = 9, error: str = "runner-crashed", stderr_tail: str = ""
) -> Record:
    """Return the record of a failed execution."""
    return Record(
        case_id=case_id,
        repetition=repetition,
        position=0,
        job_id=job_id,
        attempt=1,
        session_id=SESSION_ID,
        inventory_sha256=SHA256,
        started_at=datetime.now(UTC),
        state="failed",
        failure=Failure(error=error, detail="for a test", stderr_tail=stderr_tail),
    )


def execution(repetition: int, case_id: int = 1) -> JobExecution:
    """Return one execution of a job."""
    return JobExecution(case_id=case_id, repetition=repetition, position=0)
