"""Validation of records: each value on its own, and the record against its case."""

import math

from orchestrator.results.repository import KnownExecution
from orchestrator.shared.values.times import utc
from orchestrator.wire.base import NOOP
from orchestrator.wire.messages import check_of, phases_of
from orchestrator.wire.metrics.phases import reading_refusal
from orchestrator.wire.records import Record

STORED_COLUMNS = (
    "work_wall_ns",
    "process_wall_ns",
    "phase_wall_ns",
    "work_cpu_ns",
    "call_wall_ns",
    "call_cpu_ns",
    "peak_rss_bytes",
    "output_sha256",
)
"""The fields of a record that are columns of an execution."""

_LARGEST_INTEGER = 2**63 - 1


def has_digest(operation: str) -> bool | None:
    """Return whether an output of these operations has a digest that is judged; None if only their runner knows."""
    if operation == NOOP:
        return True
    checks = [check_of(one) for one in operation.split("+")]
    return True if "digest" in checks else None if None in checks else False


def refusal(record: Record) -> str | None:
    """Return why the record is invalid on its own, or None."""
    try:
        utc(record.started_at)
    except ValueError as error:
        return f"started_at: {error}"
    values = {name: getattr(record, name) for name in (*STORED_COLUMNS, "case_id", "repetition", "attempt")}
    for name, value in (*values.items(), *record.phase_wall_ns.items()):
        if isinstance(value, int) and value > _LARGEST_INTEGER:
            return f"{name} is {value}, expected at most 2^63 - 1"
        if isinstance(value, float) and not math.isfinite(value):
            return f"{name} is {value}, expected a finite number"
    for name, value in record.readings.items():
        if (reason := reading_refusal(name, value, record.phase_wall_ns)) is not None:
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
    return _mismatch_of_work(record, execution) if record.state == "ok" else None


def _mismatch_of_work(record: Record, execution: KnownExecution) -> str | None:
    """Return how the work of an ok record differs from that of its case, or None."""
    if (record.timings is not None) != (execution.protocol == "latency"):
        return "it has no timings, the case's protocol is latency"
    phases = () if execution.protocol == "latency" else phases_of(execution.operation)
    if record.phase_wall_ns and tuple(record.phase_wall_ns) != phases:
        return f"it has the phases {', '.join(record.phase_wall_ns) or 'none'}, expected {', '.join(phases) or 'none'}"
    expected = has_digest(execution.operation)
    if expected is not None and (record.output_sha256 is not None) != expected:
        return f"output_sha256 is {record.output_sha256}, the case's operation is {execution.operation}"
    return None
