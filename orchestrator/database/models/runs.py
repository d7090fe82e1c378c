"""Runs with their chunks, cases, jobs and omissions."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from orchestrator.database.models.base import Base, Numbered, now


class Chunk(Numbered, Base):
    """Piece of the corpus; its file in the corpus folder is named by its SHA-256."""

    __tablename__ = "chunks"
    __table_args__ = (UniqueConstraint("kind", "sha256"), Index("ix_chunks_find", "kind", "length_bytes"))

    kind: Mapped[str] = mapped_column(String(16))
    length_bytes: Mapped[int]
    sha256: Mapped[str] = mapped_column(String(64), index=True)
    origin: Mapped[str] = mapped_column(String(16))
    """source, generated or user."""
    title: Mapped[str] = mapped_column(Text)
    facts: Mapped[dict[str, Any]]
    """Entry of the manifest: license, URL, offset, and whether a shorter source was repeated."""
    registered_at: Mapped[datetime] = mapped_column(default=now)


class ChunkRequest(Numbered, Base):
    """Request of runs for a chunk that the corpus lacks, settled when it was made or could not be made."""

    __tablename__ = "chunk_requests"
    __table_args__ = (UniqueConstraint("kind", "length_bytes"),)

    kind: Mapped[str] = mapped_column(String(16))
    length_bytes: Mapped[int]
    state: Mapped[str] = mapped_column(String(8), default="open")
    """open, ready or failed."""
    reason: Mapped[str] = mapped_column(Text, default="")
    """Why the chunk could not be made."""
    done_bytes: Mapped[int | None]
    """Bytes of its material made so far; NULL unless it is being made."""
    requested_at: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None]
    """Start of the latest attempt, which is the same for all chunks that it makes."""
    settled_at: Mapped[datetime | None]


class AwaitedChunk(Base):
    """Chunk request that a run waits for before it is laid out."""

    __tablename__ = "awaited_chunks"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    request_id: Mapped[int] = mapped_column(ForeignKey("chunk_requests.id"), primary_key=True, autoincrement=False)


class Run(Base):
    """A submitted plan, with its state."""

    __tablename__ = "runs"
    __table_args__ = (
        Index("ix_runs_next", "state", "priority", "submitted_at", "id"),
        Index(
            "ix_runs_deleted",
            "deleted_at",
            sqlite_where=text("deleted_at IS NOT NULL AND erased_at IS NULL"),
            postgresql_where=text("deleted_at IS NOT NULL AND erased_at IS NULL"),
        ),
    )

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(64))
    plan: Mapped[dict[str, Any]]
    """As submitted; empty after the deletion."""
    measurement_sha256: Mapped[str] = mapped_column(String(64), default="", index=True)
    """Digest of what the plan measures (runs/planning/plan.py), by which repetitions of a measurement are counted."""
    seed: Mapped[int]
    state: Mapped[str] = mapped_column(String(16))
    """planned, running, paused, finished, cancelled or failed; whether it waits follows from its agents."""
    reason: Mapped[str] = mapped_column(Text, default="")
    """Reason for failed or cancelled."""
    priority: Mapped[int] = mapped_column(default=5)
    start: Mapped[str] = mapped_column(String(16), default="as-ready")
    """Start of the agents, from the plan: together or as-ready."""
    executions_total: Mapped[int]
    estimated_seconds: Mapped[float | None]
    rounds_open: Mapped[bool] = mapped_column(default=False)
    """The plan has a precision, and at least one case can get more repetitions."""
    submitted_at: Mapped[datetime] = mapped_column(default=now, index=True)
    submitted_by: Mapped[str] = mapped_column(String(80), default="")
    """Label of the token or the session, for display."""
    owner_id: Mapped[str | None] = mapped_column(String(12))
    """Family of the token that submitted it, which may change it; NULL: unknown, only admins may."""
    lease_token: Mapped[str | None] = mapped_column(String(32))
    """Lease of the scheduler that lays the run out, which excludes other schedulers."""
    lease_renewed_at: Mapped[datetime | None]
    """Time of the last renewal; another scheduler can take an expired lease."""
    laid_out_at: Mapped[datetime | None]
    """Time at which the cases, jobs and executions of all agents were stored."""
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    archived_at: Mapped[datetime | None]
    """Time at which a user archived it; lists leave it out unless the request includes archived runs."""
    deleted_at: Mapped[datetime | None]
    """Time of the request to delete it; the scheduler then deletes the rows that belong to it. This one stays, so that
    no measurement disappears without a trace."""
    erased_at: Mapped[datetime | None]
    """Time at which everything of a deleted run but this row was gone."""
    executions_ended: Mapped[int | None]
    """Executions with a record when the deletion was requested."""
    resumptions: Mapped[int] = mapped_column(default=0)
    """Times that it was resumed after it was paused, cancelled or had failed."""
    registered_repetitions: Mapped[int | None]
    """Repetitions of the plan of a run that was registered by its submission, also after the deletion; NULL: it was
    submitted without being registered."""
    first_look_executions: Mapped[int | None]
    """Executions with a record when the answer of a registered run was first returned before the end of the run; NULL:
    never."""


class RunTag(Base):
    """Tag of a run."""

    __tablename__ = "run_tags"
    __table_args__ = (Index("ix_run_tags_tag", "tag", "run_id"),)

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    tag: Mapped[str] = mapped_column(String(32), primary_key=True)


class RunAgent(Base):
    """Agent of a run, resolved at the submission, with its part of the layout and its facts at its first job."""

    __tablename__ = "run_agents"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), primary_key=True, index=True)
    executions_total: Mapped[int]
    """Number of its executions without rounds; before the layout, those expected at the submission."""
    estimated_seconds: Mapped[float | None]
    """Computed by the planner; without builds."""
    laid_out_at: Mapped[datetime | None]
    """Time at which its cases, jobs and executions were stored."""
    started_at: Mapped[datetime | None]
    """First claim of one of its jobs; the next columns are the agent's at that time, which the run's answers read."""
    inventory_id: Mapped[int | None] = mapped_column(ForeignKey("inventories.id"))
    health: Mapped[str | None] = mapped_column(String(12))
    health_reason: Mapped[str | None] = mapped_column(Text)
    last_calibration_id: Mapped[int | None]
    """Its newest calibration; 0 for none."""


class Omission(Numbered, Base):
    """Combination of a plan that an agent cannot execute, with the reason."""

    __tablename__ = "omissions"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), index=True)
    agent_id: Mapped[str | None] = mapped_column(ForeignKey("agents.id"))
    provider: Mapped[str | None] = mapped_column(String(32))
    algorithm: Mapped[str | None] = mapped_column(String(64))
    variant: Mapped[str | None] = mapped_column(String(32))
    reason: Mapped[str] = mapped_column(Text)
    executions: Mapped[int | None]
    """Number of omitted executions; NULL if the agent has no build to derive it from."""


class Case(Numbered, Base):
    """One combination of agent, build, implementation, operation, input and protocol in one run."""

    __tablename__ = "cases"
    __table_args__ = (
        UniqueConstraint("run_id", "number"),
        Index("ix_cases_digest", "algorithm", "input_sha256"),
    )

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    number: Mapped[int]
    """0, 1, 2 … in the planner's order."""
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), index=True)
    build_id: Mapped[int] = mapped_column(ForeignKey("builds.id"))
    protocol: Mapped[str] = mapped_column(String(16))
    operation: Mapped[str] = mapped_column(String(64))
    """Operation that is timed, or those that a process executes: ``key-setup+encrypt+decrypt``."""
    message_operations: Mapped[str] = mapped_column(String(64))
    """Of these, the ones that process the message, which alone have a throughput: ``encrypt+decrypt``."""
    provider: Mapped[str] = mapped_column(String(32))
    algorithm: Mapped[str] = mapped_column(String(64))
    variant: Mapped[str] = mapped_column(String(32))
    chunk_id: Mapped[int | None] = mapped_column(ForeignKey("chunks.id"))
    input_sha256: Mapped[str | None] = mapped_column(String(64))
    """SHA-256 of the chunk or of the description of a latency input (wire/jobs.py); equal for equal inputs."""
    input_kind: Mapped[str | None] = mapped_column(String(16))
    message_bytes: Mapped[int]
    """Length of the chunk or of the latency message."""
    associated_data_bytes: Mapped[int] = mapped_column(default=0)
    fill: Mapped[str | None] = mapped_column(String(8))
    """Contents of a latency message and its associated data: zero, counter or random."""
    key_fill: Mapped[str | None] = mapped_column(String(8))
    """Contents of key and nonce: zero or counter."""
    timings: Mapped[int | None]
    """Number of timings in one latency execution."""
    min_timing_ms: Mapped[float | None]
    """Minimum duration of one timing."""
    shares: Mapped[int | None]
    """Form of a masked variant (shared/values/forms.py); NULL for an unmasked implementation, like the next two."""
    masking: Mapped[str | None] = mapped_column(String(16))
    """Degree: full, init-final or init."""
    generator: Mapped[str | None] = mapped_column(String(16))
    key_setup: Mapped[str | None] = mapped_column(String(16))
    """apart, or included in each call of a latency case."""
    copy: Mapped[int] = mapped_column(default=1)
    """Number of the copy, from 1, for plans with several copies of a case."""
    stop_reason: Mapped[str | None] = mapped_column(String(12))
    """Reason for no more repetitions in a plan with a precision: reached, maximum, budget, failing, lost."""
    language_version: Mapped[str | None] = mapped_column(String(32))


class Job(Numbered, Base):
    """An ordered slice of a run's executions for one agent."""

    __tablename__ = "jobs"
    __table_args__ = (
        UniqueConstraint("run_id", "agent_id", "number"),
        Index("ix_jobs_dispatch", "agent_id", "state"),
        Index("ix_jobs_next", "run_id", "agent_id", "state", "number"),
        Index("ix_jobs_run_state", "run_id", "state"),
    )

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    number: Mapped[int]
    """Order within the run and agent."""
    state: Mapped[str] = mapped_column(String(16), default="waiting")
    """planned (of a round that is being laid out), waiting, sent, running, done, cancelled, lost."""
    reason: Mapped[str] = mapped_column(Text, default="")
    executions_total: Mapped[int]
    attempts: Mapped[int] = mapped_column(default=0)
    """Sessions of the daemon that have started it, without those that released it."""
    fruitless_attempts: Mapped[int] = mapped_column(default=0)
    """Latest attempts in a row that ended with a crash of the daemon and without a new record."""
    records_before: Mapped[int] = mapped_column(default=0)
    """Number of its executions that had a record at the start of the latest attempt."""
    session_id: Mapped[str | None] = mapped_column(String(32))
    """Session of the daemon that claimed it last."""
    sent_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class GrantedClaim(Numbered, Base):
    """A granted claim of a job, which the records that were made under it name."""

    __tablename__ = "claims"

    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"), index=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    session_id: Mapped[str] = mapped_column(String(32))
    attempt: Mapped[int]
    granted_at: Mapped[datetime] = mapped_column(default=now)
    boot_id: Mapped[str] = mapped_column(String(36))
    """Boot of the service's machine at the grant; the next column can be compared only within it."""
    granted_boot_ns: Mapped[int]
    """CLOCK_BOOTTIME of the service's machine at the grant."""
    reported_ns: Mapped[int] = mapped_column(default=0)
    """Sum of the durations of the records that were made under the claim."""


class Outbox(Numbered, Base):
    """Jobs to send to the queue: stored together with the job's state, sent later by the scheduler."""

    __tablename__ = "outbox"

    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id"), index=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    tries: Mapped[int] = mapped_column(default=0)
    last_error: Mapped[str] = mapped_column(Text, default="")
