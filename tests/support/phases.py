"""A cipher's operations in the columns of cases, and the times of their phases in the fields of records."""

from typing import Any

from orchestrator.wire.base import NOOP
from orchestrator.wire.messages import CIPHER_SEQUENCE, operations_of, phases_of, with_message

KEY_SETUP_NS = 900


def executing(operation: str = CIPHER_SEQUENCE) -> dict[str, str]:
    """Return the columns of a case that name its operations."""
    sequence = CIPHER_SEQUENCE if operation == NOOP else operation
    return {"operation": operation, "message_operations": with_message(operations_of(None), sequence)}


def with_phases(**fields: Any) -> dict[str, Any]:
    """Return the fields, with ``encrypt_wall_ns`` and the others in the one field that has the times of all phases."""
    names = {f"{phase}_wall_ns": phase for phase in phases_of(CIPHER_SEQUENCE)}
    walls = {"key_setup_wall_ns": KEY_SETUP_NS, **{name: value for name, value in fields.items() if name in names}}
    rest = {name: value for name, value in fields.items() if name not in names}
    return rest | {
        "phase_wall_ns": {phase: walls[name] for name, phase in names.items() if walls.get(name) is not None}
    }
