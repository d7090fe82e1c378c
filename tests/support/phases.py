"""Times of a cipher's phases in the fields of records and executions."""

from typing import Any

from orchestrator.wire.messages import CIPHER_SEQUENCE, phases_of

KEY_SETUP_NS = 900


def with_phases(**fields: Any) -> dict[str, Any]:
    """Return the fields, with ``encrypt_wall_ns`` and the others in the one field that has the times of all phases."""
    names = {f"{phase}_wall_ns": phase for phase in phases_of(CIPHER_SEQUENCE)}
    walls = {"key_setup_wall_ns": KEY_SETUP_NS, **{name: value for name, value in fields.items() if name in names}}
    rest = {name: value for name, value in fields.items() if name not in names}
    return rest | {
        "phase_wall_ns": {phase: walls[name] for name, phase in names.items() if walls.get(name) is not None}
    }
