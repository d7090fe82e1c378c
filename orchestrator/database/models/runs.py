"""Runs: what is to be measured, in which pieces, by which agent."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from orchestrator.database.models.base import Base, BigKey, now


class Chunk(Base):
    """One piece of the corpus; the bytes live in the corpus folder under their SHA-256."""

    __tablename__ = "chunks"
    __table_args__ = (UniqueConstraint("kind", "sha256"), Index("ix_chunks_find", "kind", "length_bytes"))

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    length_bytes: Mapped[int]
    sha256: Mapped[str] = mapped_column(String(64), index=True)
    origin: Mapped[str] = mapped_column(String(16))
    """source, generated or user."""
    title: Mapped[str] = mapped_column(Text)
    facts: Mapped[dict[str, Any]]
    """The manifest's entry: license, address, offset, whether a shorter source was repeated."""
    registered_at: Mapped[datetime] = mapped_column(default=now)


class Run(Base):
    """A submitted plan, with its state."""

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(64))
    plan: Mapped[dict[str, Any]]
    """As submitted."""
    seed: Mapped[int]
    state: Mapped[str] = mapped_column(String(16), index=True)
    """planned, running, paused, finished, cancelled, failed. Waiting for an agent is seen from the agents."""
    reason: Mapped[str] = mapped_column(Text, default="")
    """Why it failed or was cancelled."""
    priority: Mapped[int] = mapped_column(default=5)
    executions_total: Mapped[int]
    estimated_seconds: Mapped[float | None]
    rounds_open: Mapped[bool] = mapped_column(default=False)
    """The plan asks for a precision, and some case may still get more repetitions."""
    submitted_at: Mapped[datetime] = mapped_column(default=now, index=True)
    submitted_by: Mapped[str] = mapped_column(String(80), default="")
    lease_token: Mapped[str | None] = mapped_column(String(32))
    """Of the scheduler that lays the run out now: a second one at the same time stays away."""
    lease_renewed_at: Mapped[datetime | None]
    """When that scheduler last wrote; one that fell silent is replaced."""
    laid_out_at: Mapped[datetime | None]
    """All cases, jobs and executions are in the database."""
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class Omission(Base):
    """A combination that a plan asked for and an agent cannot execute, with the reason."""

    __tablename__ = "omissions"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), index=True)
    agent_id: Mapped[str | None] = mapped_column(ForeignKey("agents.id"))
    provider: Mapped[str | None] = mapped_column(String(32))
    algorithm: Mapped[str | None] = mapped_column(String(64))
    variant: Mapped[str | None] = mapped_column(String(32))
    reason: Mapped[str] = mapped_column(Text)
    executions: Mapped[int | None]
    """How many it would have been; NULL where the agent has no build that would tell."""


class Case(Base):
    """One combination of agent, build, implementation, operation, input and protocol in one run."""

    __tablename__ = "cases"
    __table_args__ = (
        UniqueConstraint("run_id", "number"),
        Index("ix_cases_digest", "algorithm", "input_sha256"),
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    number: Mapped[int]
    """0, 1, 2 … in the planner's order."""
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), index=True)
    build_id: Mapped[int] = mapped_column(ForeignKey("builds.id"))
    protocol: Mapped[str] = mapped_column(String(16))
    operation: Mapped[str] = mapped_column(String(16))
    provider: Mapped[str] = mapped_column(String(32))
    algorithm: Mapped[str] = mapped_column(String(64))
    variant: Mapped[str] = mapped_column(String(32))
    chunk_id: Mapped[int | None] = mapped_column(ForeignKey("chunks.id"))
    input_sha256: Mapped[str | None] = mapped_column(String(64))
    """Of the chunk, or of the description of a latency message (wire/jobs.py): equal inputs, equal ciphertexts."""
    input_kind: Mapped[str | None] = mapped_column(String(16))
    message_bytes: Mapped[int]
    """The chunk's length, or the message's under the latency protocol."""
    associated_data_bytes: Mapped[int] = mapped_column(default=0)
    fill: Mapped[str | None] = mapped_column(String(8))
    """zero, counter or random: what a latency message and its associated data are made of."""
    key_fill: Mapped[str | None] = mapped_column(String(8))
    """zero or counter: the bytes of key and nonce."""
    timings: Mapped[int | None]
    """How many timings one latency execution takes."""
    min_timing_ms: Mapped[float | None]
    """How long each of them lasts at least."""
    shares: Mapped[int] = mapped_column(default=1)
    masking: Mapped[str | None] = mapped_column(String(16))
    generator: Mapped[str | None] = mapped_column(String(16))
    key_setup: Mapped[str | None] = mapped_column(String(16))
    """apart, or included in each call of a latency case."""
    copy: Mapped[int] = mapped_column(default=1)
    """1, 2 … where the plan wants the same case several times, to compare it with itself."""
    stop_reason: Mapped[str | None] = mapped_column(String(12))
    """Why no more repetitions are made where the plan asks for a precision: reached, maximum, budget, failing, lost."""
    language_version: Mapped[str | None] = mapped_column(String(32))


class Job(Base):
    """An ordered slice of a run's executions for one agent."""

    __tablename__ = "jobs"
    __table_args__ = (
        UniqueConstraint("run_id", "agent_id", "number"),
        Index("ix_jobs_dispatch", "agent_id", "state"),
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), index=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    number: Mapped[int]
    """Order within the run and agent."""
    state: Mapped[str] = mapped_column(String(16), default="waiting")
    """planned (of a round that is being laid out), waiting, sent, running, done, cancelled, lost."""
    reason: Mapped[str] = mapped_column(Text, default="")
    executions_total: Mapped[int]
    attempts: Mapped[int] = mapped_column(default=0)
    session_id: Mapped[str | None] = mapped_column(String(32))
    """The daemon's session that claimed it last."""
    sent_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class Outbox(Base):
    """Jobs on their way to the queue: written with the job's state, sent afterwards by the scheduler."""

    __tablename__ = "outbox"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"))
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    tries: Mapped[int] = mapped_column(default=0)
    last_error: Mapped[str] = mapped_column(Text, default="")
