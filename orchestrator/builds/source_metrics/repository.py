"""Queries for the source code of builds."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import Build


def builds_without_sources(session: Session, limit: int) -> Sequence[Build]:
    """Return the newest builds whose source code was not measured; failed ones have none."""
    waiting = select(Build).where(Build.sources.is_(None), Build.failure.is_(None))
    return session.scalars(waiting.order_by(Build.id.desc()).limit(limit)).all()


def store_sources(session: Session, build_id: int, sources: list[dict[str, Any]]) -> None:
    """Store the figures of a build's implementations."""
    session.execute(update(Build).where(Build.id == build_id).values(sources=sources))
