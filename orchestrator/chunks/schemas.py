"""Answers of the chunk endpoints."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict


class ChunkSummary(BaseModel):
    """One input."""

    model_config = ConfigDict(from_attributes=True)

    sha256: str
    kind: str
    length_bytes: int
    origin: str
    """source, generated or user."""
    title: str
    facts: dict[str, Any]
    """Licence, address, offset, whether a shorter source was repeated."""
    registered_at: datetime
