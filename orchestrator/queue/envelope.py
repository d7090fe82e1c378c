"""Schema of a queue entry, validated before Celery reads it: exactly the messages that the scheduler sends.

Celery's worker trusts its broker: a header of another type, or a body that is not a list of arguments, ends the worker
or makes it loop.
"""

import base64
from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from orchestrator.shared.values.field_errors import expectation
from orchestrator.shared.values.models import LazyModel


class _EnvelopePart(LazyModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _DeliveryInfo(_EnvelopePart):
    exchange: str
    routing_key: str


class _Properties(_EnvelopePart):
    delivery_tag: str = Field(min_length=1)
    delivery_info: _DeliveryInfo
    body_encoding: Literal["base64"]


class _Headers(_EnvelopePart):
    task: str = Field(min_length=1)
    id: str = Field(min_length=1)
    eta: None = None
    expires: datetime | None = Field(default=None, strict=False)
    compression: None = None
    retries: Literal[0] = 0
    group: None = None


class _Entry(_EnvelopePart):
    body: str
    content_type: Literal["application/json"] = Field(alias="content-type")
    content_encoding: Literal["utf-8"] = Field(alias="content-encoding")
    headers: _Headers
    properties: _Properties


class _Embedded(_EnvelopePart):
    """Celery's fields next to the arguments: other tasks to call, which the scheduler never sends."""

    callbacks: None = None
    errbacks: None = None
    chain: None = None
    chord: None = None


_Body = TypeAdapter(tuple[list[Any], dict[str, Any], _Embedded])


def envelope_fault(entry: object) -> str | None:
    """Return why the entry is not a valid task, or None if it is valid."""
    try:
        body = base64.b64decode(_Entry.model_validate(entry).body, validate=True)
        _Body.validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(str(part) for part in first['loc']) or 'entry'}: {expectation(first)}"
    except ValueError as error:
        # Not base64, or not even ASCII.
        return f"body: {error}"
    return None
