"""Responses about the state of the service."""

from typing import Literal

from orchestrator import __version__
from orchestrator.shared.values.models import LazyModel


class Health(LazyModel):
    """State of this process."""

    product: Literal["ciphermark"] = "ciphermark"
    """Distinguishes this service from others at a mistyped address."""
    status: Literal["ok"] = "ok"
    version: str = __version__
    warnings: list[Literal["disk nearly full", "database damaged"]] = []
    """Why the service takes no new work; readiness has the details."""


class Part(LazyModel):
    """State of one part of the system."""

    name: Literal["database", "disk", "schema", "redis", "scheduler", "reference"]
    ready: bool
    detail: str
    """Observed state, or the error."""


class Readiness(LazyModel):
    """State of the system: ready if runs can be submitted and executed."""

    ready: bool
    parts: list[Part]
