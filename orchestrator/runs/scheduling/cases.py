"""Cases, omissions and failures as rows of their tables."""

from orchestrator.runs.planning.expansion import PlannedCase, PlannedOmission
from orchestrator.runs.planning.inputs import MessageInput
from orchestrator.wire.jobs import latency_input_sha256
from orchestrator.wire.records import Failure

MAX_DETAIL_CHARACTERS = 4000
"""Of a failure's detail on the wire."""


def case_row(run_id: str, case: PlannedCase) -> dict[str, object]:
    """Return the columns of a case."""
    what = case.implementation
    row: dict[str, object] = {
        "run_id": run_id,
        "number": case.number,
        "agent_id": case.agent_id,
        "build_id": case.build.build_id,
        "operation": case.operation,
        "provider": what.provider,
        "algorithm": what.algorithm,
        "variant": what.variant,
        "copy": case.copy,
    }
    # All rows have the same columns, so that they are written by one statement.
    return row | (_message_columns(case.input) if isinstance(case.input, MessageInput) else _chunk_columns(case))


def _chunk_columns(case: PlannedCase) -> dict[str, object]:
    chunk = case.chunk
    return dict.fromkeys(("fill", "key_fill", "key_setup", "timings", "min_timing_ms")) | {
        "protocol": "process",
        "chunk_id": chunk.chunk_id if chunk else None,
        "input_sha256": chunk.sha256 if chunk else None,
        "input_kind": chunk.kind if chunk else None,
        "message_bytes": case.input.length_bytes,
        "associated_data_bytes": 0,
    }


def _message_columns(message: MessageInput) -> dict[str, object]:
    name = None
    if message.operation != "key-setup":
        name = latency_input_sha256(message.fill, message.key_fill, message.length_bytes, message.associated_data_bytes)
    return {
        "protocol": "latency",
        "chunk_id": None,
        "input_sha256": name,
        "input_kind": None,
        "message_bytes": message.length_bytes,
        "associated_data_bytes": message.associated_data_bytes,
        "fill": message.fill,
        "key_fill": message.key_fill,
        "key_setup": message.key_setup,
        "timings": message.timings,
        "min_timing_ms": message.min_timing_ms,
    }


def omission_row(run_id: str, omission: PlannedOmission) -> dict[str, object]:
    """Return the columns of an omission."""
    return {
        "run_id": run_id,
        "agent_id": omission.agent_id,
        "provider": omission.provider,
        "algorithm": omission.algorithm,
        "variant": omission.variant,
        "reason": omission.reason,
        "executions": omission.executions,
    }


def skipped_failure(reason: str) -> dict[str, object]:
    """Return why an execution was skipped: its end holds the compiler's last lines, which say most."""
    failure = Failure(error="build-failed", detail=reason[-MAX_DETAIL_CHARACTERS:])
    return failure.model_dump(mode="json")
