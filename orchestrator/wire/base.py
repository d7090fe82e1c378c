"""Base classes of messages, and the value types that they share."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

WIRE_VERSION = 2
"""Version of the messages between service and daemon. History: 1, the first; 2, fields renamed (2026-11)."""
WIRE_VERSION_HEADER = "Ciphermark-Wire-Version"
"""Request header with the daemon's ``WIRE_VERSION``; version 1 did not send it."""
DEVICE_HEADER = "Ciphermark-Device"
"""Request header of an enrollment: SHA-256 of the join code and the machine id, so that a device may repeat it."""

JOB_TASK = "ciphermark.execute_job"
"""Name of the Celery task that carries a job to its agent."""


class Message(BaseModel):
    """Frozen message that refuses unknown fields, so that a mistyped field is not replaced by its default."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Report(BaseModel):
    """Frozen report of another program; unknown fields of newer versions are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
AgentId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]{12}$")]
RunId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]{12}$")]
SessionId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
AlgorithmId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]
ProviderName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+$", max_length=32)]
VariantName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$", max_length=32)]
Nanoseconds = Annotated[int, Field(ge=0)]
ByteCount = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]

NOOP = "noop"
"""Pseudo-algorithm of a process execution without a cipher."""

JOB_QUEUE = "jobs"
"""Name of an agent's queue, under the agent's own key prefix."""


def key_prefix(agent_id: str) -> str:
    """Return the prefix of all Redis keys that an agent may access."""
    return f"ag:{agent_id}:"


def broker_username(agent_id: str) -> str:
    """Return the name of an agent's Redis user."""
    return f"ag-{agent_id}"
