"""What the service itself keeps: who may speak, what was said, when the scheduler ticked."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from orchestrator.database.models.base import Base, BigKey, now


class IdempotencyKey(Base):
    """A submission that was answered: the same key gives the same run."""

    __tablename__ = "idempotency_keys"

    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    body_sha256: Mapped[str] = mapped_column(String(64))
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    used_at: Mapped[datetime] = mapped_column(default=now)


class APIToken(Base):
    """A token, kept as its SHA-256."""

    __tablename__ = "api_tokens"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    """viewer, submitter, agent, admin; join: trades once for an agent's identity."""
    label: Mapped[str] = mapped_column(String(80), default="")
    agent_id: Mapped[str | None] = mapped_column(ForeignKey("agents.id"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    used_at: Mapped[datetime | None]


class WebSession(Base):
    """A person at the dashboard: first a one-time code, then a cookie; both are kept as their SHA-256."""

    __tablename__ = "web_sessions"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    code_sha256: Mapped[str | None] = mapped_column(String(64), unique=True)
    """NULL once the code was used."""
    cookie_sha256: Mapped[str | None] = mapped_column(String(64), unique=True)
    """NULL until the code was used."""
    role: Mapped[str] = mapped_column(String(16))
    token_id: Mapped[str | None] = mapped_column(ForeignKey("api_tokens.id"))
    """The token that opened it: revoking that ends the session too."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]


class Event(Base):
    """Something that listeners want to hear; pruned by the scheduler."""

    __tablename__ = "events"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    at: Mapped[datetime] = mapped_column(default=now)
    run_id: Mapped[str | None] = mapped_column(String(12), index=True)
    agent_id: Mapped[str | None] = mapped_column(String(12))
    kind: Mapped[str] = mapped_column(String(32))
    """run-state, job-state, progress, verdict, agent-state, agent-health."""
    data: Mapped[dict[str, Any]]


class Tick(Base):
    """When a program that works by ticks last finished one: what readiness asks for."""

    __tablename__ = "ticks"

    program: Mapped[str] = mapped_column(String(16), primary_key=True)
    ticked_at: Mapped[datetime] = mapped_column(default=now)
