"""Tokens, sessions, idempotency keys, events and ticks."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from orchestrator.database.models.base import Base, Numbered, now


class IdempotencyKey(Base):
    """Key of a submission: the same key returns the same run."""

    __tablename__ = "idempotency_keys"

    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    body_sha256: Mapped[str] = mapped_column(String(64))
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    used_at: Mapped[datetime] = mapped_column(default=now)


class APIToken(Base):
    """API token, stored as its SHA-256."""

    __tablename__ = "api_tokens"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    """viewer, submitter, agent, admin, join, which is exchanged once for an agent's identity, or share."""
    label: Mapped[str] = mapped_column(String(80), default="")
    agent_id: Mapped[str | None] = mapped_column(ForeignKey("agents.id"))
    run_id: Mapped[str | None] = mapped_column(String(12))
    """Of a share link: the only run that it shows."""
    agent_name: Mapped[str | None] = mapped_column(String(63))
    """Name that an invitation gives to the agent; NULL: the name that the device sends."""
    agent_labels: Mapped[list[str] | None]
    """Labels that an invitation gives to the agent."""
    device_sha256: Mapped[str | None] = mapped_column(String(64))
    """Of a join token that was used: the device that used it, which may repeat its enrollment (SHA-256)."""
    family_id: Mapped[str] = mapped_column(String(12), index=True)
    """First token of its rotations: what one of a family made belongs to all, and all are revoked together."""
    replaces_id: Mapped[str | None] = mapped_column(ForeignKey("api_tokens.id"))
    """Token that ends when this one is used for the first time; NULL: none, or it ends at a time of its own."""
    broker_password_hash: Mapped[str | None] = mapped_column(String(64))
    """Of an agent: SHA-256 of the Redis password that came with the token; NULL: that of the agent."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    used_at: Mapped[datetime | None]


class WebSession(Numbered, Base):
    """Session of the dashboard: a one-time code, then a cookie, both stored as their SHA-256."""

    __tablename__ = "web_sessions"

    code_sha256: Mapped[str | None] = mapped_column(String(64), unique=True)
    """NULL once the code was used."""
    cookie_sha256: Mapped[str | None] = mapped_column(String(64), unique=True)
    """NULL until the code was used."""
    role: Mapped[str] = mapped_column(String(16))
    token_id: Mapped[str | None] = mapped_column(ForeignKey("api_tokens.id"))
    """Token that opened the session; its revocation ends the session."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]


class AuditEntry(Numbered, Base):
    """Entry of the audit log: a completed action, or a refusal; pruned by the scheduler."""

    __tablename__ = "audit_entries"

    at: Mapped[datetime] = mapped_column(default=now)
    action: Mapped[str] = mapped_column(String(80))
    """An action of orchestrator/service/audit/actions.py, or of a refusal the name of the operation."""
    object_id: Mapped[str | None] = mapped_column(String(120))
    """Token, agent, run, watch, import or backup; of other refusals the path. NULL: the action has no object."""
    outcome: Mapped[str] = mapped_column(String(8), index=True)
    """done, refused."""
    reason: Mapped[str | None] = mapped_column(Text)
    """Reason of a refusal; NULL for a completed action."""
    role: Mapped[str | None] = mapped_column(String(16))
    """That of the token, or operator: a program with the files of the service; NULL: without credentials."""
    label: Mapped[str] = mapped_column(String(80))
    family_id: Mapped[str | None] = mapped_column(String(12))
    agent_id: Mapped[str | None] = mapped_column(String(12))
    address: Mapped[str | None] = mapped_column(String(64))
    """Address of the client. NULL: a program of this machine, or several addresses in one row."""
    count: Mapped[int]
    """Equal refusals within the minute."""


class Event(Numbered, Base):
    """Event for the listeners of server-sent events; pruned by the scheduler."""

    __tablename__ = "events"

    at: Mapped[datetime] = mapped_column(default=now)
    run_id: Mapped[str | None] = mapped_column(String(12), index=True)
    agent_id: Mapped[str | None] = mapped_column(String(12))
    kind: Mapped[str] = mapped_column(String(32))
    """run-state, job-state, progress, verdict, agent-state, agent-health."""
    data: Mapped[dict[str, Any]]


class Generation(Numbered, Base):
    """Generation of the database: a new one begins when a backup is restored."""

    __tablename__ = "generations"

    epoch: Mapped[str] = mapped_column(String(32))
    """Random; agents that see another one deliver their recent records again."""
    began_at: Mapped[datetime] = mapped_column(default=now)
    backup_made_at: Mapped[datetime | None]
    """Time of the restored backup; NULL for the first generation."""
    first_id: Mapped[int] = mapped_column(default=1)
    """First number of new cases and jobs: earlier ones may be in journals of agents."""


class Tick(Base):
    """Time of the last tick of a program, which readiness reports."""

    __tablename__ = "ticks"

    program: Mapped[str] = mapped_column(String(16), primary_key=True)
    ticked_at: Mapped[datetime] = mapped_column(default=now)
