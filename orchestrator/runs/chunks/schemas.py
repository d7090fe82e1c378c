"""Schemas of chunks in the API."""

from datetime import datetime
from typing import Any

from orchestrator.shared.values.models import LazyModel


class ChunkSummary(LazyModel):
    """Input of measurements: a file of the corpus."""

    sha256: str
    kind: str
    length_bytes: int
    origin: str
    """Origin of the bytes: source, generated or user."""
    title: str
    facts: dict[str, Any]
    """License, URL, offset, and whether a shorter source was repeated."""
    registered_at: datetime


class ChunkEstimate(LazyModel):
    """Making of the chunks that a plan needs and the corpus lacks, before the first execution."""

    chunks: int
    total_bytes: int
    """Growth of the corpus."""
    estimated_seconds: float
    basis: str
    """Basis of the estimate."""
    obstacle: str | None
    """Why this service cannot make them; the plan is then refused. Null if it can."""
    remedy: str
    """What removes the obstacle; empty without one."""


class AwaitedChunks(LazyModel):
    """Chunks of one kind that a run waits for before it is laid out; the service makes them together."""

    kind: str
    chunks: int
    longest_bytes: int
    """Length of the longest one, of which the others are prefixes."""
    done_bytes: int | None
    """Of the longest one; null until they are being made."""
    started_at: datetime | None
    """Null until they are being made."""
