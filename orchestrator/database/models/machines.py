"""Agents, what they are made of, what they can execute, and how far they can be trusted."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from orchestrator.database.models.base import Base, BigKey, now


class Agent(Base):
    """A registered machine that measures."""

    __tablename__ = "agents"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(63), unique=True)
    enrolled_at: Mapped[datetime] = mapped_column(default=now)
    approved_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    broker_password_hash: Mapped[str] = mapped_column(String(64))
    """SHA-256 as Redis keeps it (``#<hash>``), so that the user can be made again after a wipe."""
    session_id: Mapped[str | None] = mapped_column(String(32))
    """The session that may speak for this agent."""
    last_heartbeat_at: Mapped[datetime | None]
    state: Mapped[str] = mapped_column(String(16), default="enrolled")
    """As the last heartbeat said: enrolled, preparing, ready, executing, refusing."""
    activity: Mapped[str] = mapped_column(String(200), default="")
    held_jobs: Mapped[list[int]] = mapped_column(default=list)
    """Job ids of the last heartbeat."""
    idle_since: Mapped[datetime | None]
    """First of the latest heartbeats in a row that held no job."""
    undelivered_records: Mapped[int] = mapped_column(default=0)
    inventory_id: Mapped[int | None] = mapped_column(ForeignKey("inventories.id", use_alter=True))
    """The present one."""
    health: Mapped[str] = mapped_column(String(12), default="unchecked")
    """unchecked, healthy, degraded, quarantined: as the latest check was judged."""
    health_reason: Mapped[str] = mapped_column(Text, default="")
    health_checked_at: Mapped[datetime | None]
    health_check_requested: Mapped[bool] = mapped_column(default=False)
    """Somebody wants a health check now; cleared when one is reported."""


class Inventory(Base):
    """The facts that a daemon detected; append-only."""

    __tablename__ = "inventories"
    __table_args__ = (UniqueConstraint("agent_id", "sha256"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), index=True)
    sha256: Mapped[str] = mapped_column(String(64))
    architecture: Mapped[str] = mapped_column(String(16))
    emulated: Mapped[bool]
    facts: Mapped[dict[str, Any]]
    detected_at: Mapped[datetime] = mapped_column(default=now)


class Build(Base):
    """The runners that one toolchain made on one agent."""

    __tablename__ = "builds"
    __table_args__ = (UniqueConstraint("agent_id", "build_key"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), index=True)
    build_key: Mapped[str] = mapped_column(String(64))
    source_sha256: Mapped[str | None] = mapped_column(String(64))
    toolchain: Mapped[dict[str, Any]]
    compiler_version: Mapped[str] = mapped_column(Text)
    prebuilt: Mapped[bool] = mapped_column(default=False)
    build_wall_ns: Mapped[int | None]
    compile_commands: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """What was compiled or linked → the whole command line, folders replaced by ``<source>`` and ``<build>``."""
    runners: Mapped[dict[str, Any]]
    """Provider → RunnerBinary, what ``list`` said included; empty where the build failed."""
    failure: Mapped[str | None] = mapped_column(Text)
    """Why the toolchain made nothing: the compiler's last lines. NULL for a build that can be executed."""
    missing_providers: Mapped[dict[str, Any]] = mapped_column(default=dict)
    reported_at: Mapped[datetime] = mapped_column(default=now)
    current: Mapped[bool] = mapped_column(default=True)
    """The newest build of this toolchain on this agent: the one that new runs use."""
    is_default: Mapped[bool] = mapped_column(default=False)
    """The one that the daemon makes at its start; plans that name no toolchain use it."""


class BuildRequest(Base):
    """A toolchain that a run wants on an agent, until the daemon has answered with a build or a failure."""

    __tablename__ = "build_requests"
    __table_args__ = (UniqueConstraint("agent_id", "toolchain_key"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    toolchain_key: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the toolchain, for the unique constraint."""
    toolchain: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(String(8), default="open")
    """open, ready or failed."""
    build_id: Mapped[int | None] = mapped_column(ForeignKey("builds.id"))
    """What the latest answer was: the build, or the row that tells why there is none."""
    requested_at: Mapped[datetime] = mapped_column(default=now)
    settled_at: Mapped[datetime | None]


class AwaitedBuild(Base):
    """A request that a run waits for before it is laid out."""

    __tablename__ = "awaited_builds"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    request_id: Mapped[int] = mapped_column(ForeignKey("build_requests.id"), primary_key=True, autoincrement=False)


class Footprint(Base):
    """What one implementation of a build takes in memory, executed or not."""

    __tablename__ = "footprints"
    __table_args__ = (UniqueConstraint("build_id", "provider", "algorithm", "variant"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    build_id: Mapped[int] = mapped_column(ForeignKey("builds.id"), index=True)
    provider: Mapped[str] = mapped_column(String(32))
    algorithm: Mapped[str] = mapped_column(String(64))
    variant: Mapped[str] = mapped_column(String(32))
    code_bytes: Mapped[int | None]
    """.text and .rodata of a program with this implementation alone, less those of an empty program."""
    static_ram_bytes: Mapped[int | None]
    """.data and .bss, likewise."""
    context_bytes: Mapped[int | None]
    """What the caller holds for a key."""
    key_setup_stack_bytes: Mapped[int | None]
    encrypt_stack_bytes: Mapped[int | None]
    decrypt_stack_bytes: Mapped[int | None]
    reason: Mapped[str] = mapped_column(Text, default="")
    """Why values are NULL."""


class Proof(Base):
    """The known answers of one implementation on one build."""

    __tablename__ = "proofs"
    __table_args__ = (UniqueConstraint("build_id", "provider", "algorithm", "variant"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    build_id: Mapped[int] = mapped_column(ForeignKey("builds.id"), index=True)
    provider: Mapped[str] = mapped_column(String(32))
    algorithm: Mapped[str] = mapped_column(String(64))
    variant: Mapped[str] = mapped_column(String(32))
    passed: Mapped[bool]
    output_sha256: Mapped[str | None] = mapped_column(String(64))
    detail: Mapped[str] = mapped_column(Text, default="")
    proved_at: Mapped[datetime] = mapped_column(default=now)


class Calibration(Base):
    """What measuring itself costs on an agent: noise floor, probe cost, noop."""

    __tablename__ = "calibrations"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), index=True)
    build_id: Mapped[int] = mapped_column(ForeignKey("builds.id"))
    kind: Mapped[str] = mapped_column(String(16))
    value: Mapped[float]
    unit: Mapped[str] = mapped_column(String(32))
    detail: Mapped[dict[str, Any]]
    calibrated_at: Mapped[datetime] = mapped_column(default=now)


class HealthCheck(Base):
    """What a daemon found when it checked its machine, and how that was judged."""

    __tablename__ = "health_checks"
    __table_args__ = (Index("ix_health_checks_line", "agent_id", "checked_at"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    build_id: Mapped[int] = mapped_column(ForeignKey("builds.id"))
    checked_at: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(12))
    """healthy, degraded, quarantined."""
    reason: Mapped[str] = mapped_column(Text, default="")
    control_wall_ns: Mapped[float]
    """Median of the control workload's work_wall_ns."""
    drift: Mapped[float | None]
    """control_wall_ns / that of the earlier clean checks of the same workload and build, - 1; NULL for the first."""
    noise_floor: Mapped[float | None]
    facts: Mapped[dict[str, Any]]
    """The whole report."""


class PreflightReport(Base):
    """The conditions under which an agent measured, as it found them before a run or with a health check."""

    __tablename__ = "preflight_reports"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), index=True)
    run_id: Mapped[str | None] = mapped_column(ForeignKey("runs.id"), index=True)
    checked_at: Mapped[datetime]
    facts: Mapped[dict[str, Any]]
    """The whole report: its findings."""


class SensorReading(Base):
    """One reading of an agent's own time line (temperature, frequency, power); pruned by the scheduler."""

    __tablename__ = "sensor_readings"
    __table_args__ = (Index("ix_sensor_readings_line", "agent_id", "sensor", "read_at"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    sensor: Mapped[str] = mapped_column(String(64))
    unit: Mapped[str] = mapped_column(String(16), default="")
    read_at: Mapped[datetime]
    value: Mapped[float | None]
    reason: Mapped[str] = mapped_column(Text, default="")
