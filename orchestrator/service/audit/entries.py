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
    """Reason of a refusal; None: the action was completed."""
    caller: Caller | None = None
    """None: a client without credentials."""
    address: str | None = None
    """Address of the client; None: a program of the service's machine, or one of several that are not stored."""
    is_declared: bool = True
    """Whether `actions` declares the action."""
