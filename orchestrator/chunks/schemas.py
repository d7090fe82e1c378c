"""Responses of the chunk endpoints."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict


class ChunkSummary(BaseModel):
    """Input of measurements: a file of the corpus."""

    model_config = ConfigDict(from_attributes=True)

    sha256: str
    kind: str
    length_bytes: int
    origin: str
    """Origin of the bytes: source, generated or user."""
    title: str
    facts: dict[str, Any]
    """License, URL, offset, and whether a shorter source was repeated."""
    registered_at: datetime
