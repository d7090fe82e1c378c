"""Entry of the audit log, before it is stored."""

from dataclasses import dataclass

from orchestrator.service.security.callers import Caller

MAX_OBJECT_CHARACTERS = 120


@dataclass(frozen=True)
class AuditedAction:
    """An action that was completed, or refused."""

    action: str
    object_id: str | None = None
    reason: str | None = None
    """Of a refusal; None: the action was completed."""
    role: str | None = None
    """None: a client without credentials."""
    label: str = ""
    family_id: str | None = None
    agent_id: str | None = None
    address: str | None = None
    """Of the client; None: a program of the service's machine, or one of several addresses that are not stored."""
    is_declared: bool = True
    """Whether `actions` declares the action."""

    @classmethod
    def of(cls, caller: Caller | None, action: str, **given: str | bool | None) -> "AuditedAction":
        """Return the entry of a caller; None: a client without credentials."""
        sender = {} if caller is None else {
            "role": caller.role, "label": caller.label, "family_id": caller.family_id, "agent_id": caller.agent_id,
        }  # fmt: skip
        return cls(action, **sender, **given)  # type: ignore[arg-type]
