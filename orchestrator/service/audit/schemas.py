"""Responses of the audit log."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from orchestrator.wire.base import ServiceResponse


class AuditEntrySummary(ServiceResponse):
    """An action that was completed, or was refused once or several times within a minute."""

    id: int
    at: datetime
    """Time of the action, or of the first of several refusals."""
    action: str = Field(examples=["revoke-token"])
    """A declared action, or of a refusal the name of the operation."""
    object_id: str | None = Field(examples=["h4r7y9b3s0mf"])
    """Token, agent, run, watch, import or backup; of other refusals the path. Null: the action has no object."""
    outcome: Literal["done", "refused"]
    reason: str | None
    """Reason of a refusal. Null: the action was completed."""
    role: str | None
    """Null: a client without credentials. `operator`: a program with the files of the service."""
    label: str
    """Label of the caller's token, or the program; it proves nothing, because labels repeat."""
    family_id: str | None
    """Family of the caller's token; also of one that was expired or revoked."""
    agent_id: str | None
    """Agent that the caller acts for."""
    address: str | None
    """Address of the client. Null: a program of the service's machine, or several addresses in one row."""
    count: int
    """Equal refusals within the minute."""
