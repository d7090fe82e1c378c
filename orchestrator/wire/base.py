"""Base classes of messages, and the value types that they share."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StringConstraints

from orchestrator.shared.values.models import LazyModel
from orchestrator.shared.values.text import (
    SLUG_PATTERN,
    finite_document,
    unmistakable,
    visible,
    visible_document,
    visible_line,
    worded,
)
from orchestrator.shared.values.times import parse_time, utc

WIRE_VERSION = 5
"""Version of the messages between service and daemon. History: 1, the first; 2, fields renamed; 3, a queue without
scripts and bindings, tokens that rotate, records that name their claim, challenges to proofs, masked cases
(2026-11); 4, records with the phases that an operation has."""
WIRE_VERSION_HEADER = "Ciphermark-Wire-Version"
"""Request header with the daemon's ``WIRE_VERSION``; version 1 did not send it."""
DEVICE_HEADER = "Ciphermark-Device"
"""Request header of an enrollment: SHA-256 of the join code and the machine id, so that a device may repeat it."""

JOB_TASK = "ciphermark.execute_job"
"""Name of the Celery task that carries a job to its agent."""


class Message(LazyModel):
    """Frozen message that refuses unknown fields, so that a mistyped field is not replaced by its default.

    Values have the types of the schema: ``true`` is not 1, ``"5"`` not 5, and infinity not a number.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Report(LazyModel):
    """Frozen report of another program; unknown fields of newer versions are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, allow_inf_nan=False)


class ServiceResponse(LazyModel):
    """Frozen response of the service, made of rows of its database; clients ignore unknown fields."""

    model_config = ConfigDict(frozen=True, extra="ignore")


Sha256 = Annotated[str, StringConstraints(pattern=worded(r"^[0-9a-f]{64}$", "64 hexadecimal digits in lower case"))]
_NEW_ID = worded(r"^[a-z0-9]{12}$", "an id of 12 lower-case letters and digits")
AgentId = Annotated[str, StringConstraints(pattern=_NEW_ID)]
RunId = Annotated[str, StringConstraints(pattern=_NEW_ID)]
SessionId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
AlgorithmId = Annotated[str, StringConstraints(pattern=SLUG_PATTERN, max_length=64)]
ProviderName = Annotated[str, StringConstraints(pattern=SLUG_PATTERN, max_length=32)]
VariantName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+(-[a-z0-9_]+)*$", max_length=32)]
CpuFeature = Annotated[str, StringConstraints(pattern=r"^[a-z0-9._]{1,32}$")]
Line = Annotated[str, AfterValidator(visible_line)]
"""Text of another program in one line: control characters become visible."""
DeviceName = Annotated[str, AfterValidator(unmistakable)]
"""Line that users compare with the names of devices that they know: no letter is mistaken for another."""
Text = Annotated[str, AfterValidator(visible)]
"""Text of another program in several lines: control characters other than tab and newline become visible."""
Document = Annotated[dict[str, object], AfterValidator(finite_document), AfterValidator(visible_document)]
"""JSON object of another program, whose texts are made visible like ``Text``."""
Nanoseconds = Annotated[int, Field(ge=0)]
ByteCount = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
StoredCount = Annotated[int, Field(ge=0, lt=2**63)]
"""Number for a column, in any unit. Records have none of this type: one with a larger number is refused alone."""

UncheckedTime = Annotated[datetime, BeforeValidator(parse_time)]
"""RFC 3339 time; the caller checks it with ``orchestrator.shared.values.times.utc``."""
Time = Annotated[UncheckedTime, AfterValidator(utc)]
"""RFC 3339 time with its zone, in UTC, from 1970 to 2199."""

NOOP = "noop"
"""Pseudo-algorithm of a process execution without a cipher."""
NOOP_VARIANT = "none"

JOB_QUEUE = "jobs"
"""Name of an agent's queue, under the agent's own key prefix."""


def key_prefix(agent_id: str) -> str:
    """Return the prefix of all Redis keys that an agent may access."""
    return f"ag:{agent_id}:"


def broker_username(agent_id: str) -> str:
    """Return the name of an agent's Redis user."""
    return f"ag-{agent_id}"
