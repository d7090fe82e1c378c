"""What all messages have in common, and the value types they share."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

WIRE_VERSION = 2
"""Version of the messages between service and daemon. History: 1, the first; 2, fields renamed (2026-11)."""
WIRE_VERSION_HEADER = "Ciphermark-Wire-Version"
"""Request header in which a daemon names its ``WIRE_VERSION``; version 1 did not send it."""

JOB_TASK = "ciphermark.execute_job"
"""Name of the Celery task that carries a job to its agent."""


class Message(BaseModel):
    """A frozen message that refuses fields it does not know: a typing error must not pass as a default."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Report(BaseModel):
    """Something a program told us: frozen, but newer fields than ours are ignored."""

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
"""The pseudo-algorithm that does everything a process execution does except the cipher."""

JOB_QUEUE = "jobs"
"""Name of an agent's queue, under the agent's own key prefix."""


def key_prefix(agent_id: str) -> str:
    """Return the prefix of every Redis key that this agent may touch."""
    return f"ag:{agent_id}:"


def broker_username(agent_id: str) -> str:
    """Return the name of this agent's Redis user."""
    return f"ag-{agent_id}"
