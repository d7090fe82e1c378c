"""Validation of records: each value on its own, and the record against its case."""

import math

from orchestrator.results.repository import KnownExecution
from orchestrator.shared.values.times import utc
from orchestrator.wire.base import NOOP
from orchestrator.wire.messages import CHECKS
from orchestrator.wire.metrics.registry import reading_refusal
from orchestrator.wire.records import Record

STORED_COLUMNS = (
    "work_wall_ns",
    "process_wall_ns",
    "key_setup_wall_ns",
    "encrypt_wall_ns",
    "decrypt_wall_ns",
    "work_cpu_ns",
    "call_wall_ns",
    "call_cpu_ns",
    "peak_rss_bytes",
    "ciphertext_sha256",
)
"""The fields of a record that are columns of an execution."""

_LARGEST_INTEGER = 2**63 - 1


def has_digest(operation: str) -> bool | None:
    """Return whether the output of an operation has a digest that is judged; None if only its runner knows."""
    if operation in ("encrypt-decrypt", NOOP):
        return True
    return CHECKS[operation] == "digest" if operation in CHECKS else None


def refusal(record: Record) -> str | None:
    """Return why the record is invalid on its own, or None."""
    try:
        utc(record.started_at)
    except ValueError as error:
        return f"started_at: {error}"
    for name in (*STORED_COLUMNS, "case_id", "repetition", "attempt"):
        value = getattr(record, name)
        if isinstance(value, int) and value > _LARGEST_INTEGER:
            return f"{name} is {value}, expected at most 2^63 - 1"
        if isinstance(value, float) and not math.isfinite(value):
            return f"{name} is {value}, expected a finite number"
    for name, value in record.readings.items():
        if (reason := reading_refusal(name, value)) is not None:
            return reason
    return None


def mismatch(record: Record, execution: KnownExecution | None, agent_id: str) -> str | None:
    """Return why the record does not match this execution, or None."""
    if execution is None:
        return "no run has this execution"
    if execution.agent_id != agent_id:
        return f"this is an execution of agent {execution.agent_id}, sent by {agent_id}"
    if record.input_bytes is not None and record.input_bytes != execution.message_bytes:
        return f"input_bytes is {record.input_bytes}, the case's input has {execution.message_bytes}"
    return _mismatch_of_protocol(record, execution)


def _mismatch_of_protocol(record: Record, execution: KnownExecution) -> str | None:
    """Return how the record contradicts its case's protocol, or None."""
    if record.timings is not None and execution.protocol != "latency":
        return f"it has timings, the case's protocol is {execution.protocol}"
    if record.timings is not None and len(record.timings.iterations) != execution.timings:
        return f"it has {len(record.timings.iterations)} timings, expected {execution.timings}"
    if record.state != "ok":
        return None
    if (record.timings is not None) != (execution.protocol == "latency"):
        return "it has no timings, the case's protocol is latency"
    expected = has_digest(execution.operation)
    if expected is not None and (record.ciphertext_sha256 is not None) != expected:
        return f"ciphertext_sha256 is {record.ciphertext_sha256}, the case's operation is {execution.operation}"
    return None
