"""Agents with their inventories, builds, health checks and sensor readings."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from orchestrator.database.models.base import Base, Numbered, now


class Agent(Base):
    """A registered machine that measures."""

    __tablename__ = "agents"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(63), unique=True)
    labels: Mapped[list[str]] = mapped_column(default=list)
    """Labels, first those of the invitation; plans can require them."""
    notes: Mapped[str] = mapped_column(Text, default="")
    """Notes of admins, for users."""
    enrolled_at: Mapped[datetime] = mapped_column(default=now)
    approved_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    broker_password_hash: Mapped[str] = mapped_column(String(64))
    """SHA-256 as Redis stores it (``#<hash>``), so that the scheduler can create the user again after Redis lost it."""
    queue_closed_reason: Mapped[str | None] = mapped_column(Text)
    """Reason that the scheduler deleted the agent's Redis user; NULL: the agent has one. An approval clears it."""
    session_id: Mapped[str | None] = mapped_column(String(32))
    """Session of the daemon that acts as this agent."""
    last_heartbeat_at: Mapped[datetime | None]
    state: Mapped[str] = mapped_column(String(16), default="enrolled")
    """State in the last heartbeat: enrolled, preparing, ready, executing or refusing."""
    activity: Mapped[str] = mapped_column(String(200), default="")
    notice: Mapped[str] = mapped_column(Text, default="")
    """What the user must know about the machine: a nearly full disk, a damaged journal."""
    held_jobs: Mapped[list[int]] = mapped_column(default=list)
    """Ids of the jobs in the last heartbeat."""
    idle_since: Mapped[datetime | None]
    """Time since which all heartbeats had no job."""
    undelivered_records: Mapped[int] = mapped_column(default=0)
    inventory_id: Mapped[int | None] = mapped_column(ForeignKey("inventories.id", use_alter=True))
    """Current inventory."""
    health: Mapped[str] = mapped_column(String(12), default="unchecked")
    """Judgment of the latest health check: unchecked, healthy, degraded or quarantined."""
    health_reason: Mapped[str] = mapped_column(Text, default="")
    health_checked_at: Mapped[datetime | None]
    health_check_requested: Mapped[bool] = mapped_column(default=False)
    """A health check was requested; cleared when one is reported."""
    distrusted_at: Mapped[datetime | None]
    """Time of its first proven false report since an operator trusted it; NULL for an agent that is believed."""


class FalseReport(Numbered, Base):
    """Reports of an agent that cannot be true, of one kind: the first with its evidence, and how many followed.

    One row for each agent and kind, so that an agent that floods the service does not fill the table.
    """

    __tablename__ = "false_reports"
    __table_args__ = (UniqueConstraint("agent_id", "kind"),)

    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    kind: Mapped[str] = mapped_column(String(32))
    """A kind of service/trust/kinds.py."""
    proven: Mapped[bool]
    """False for a report that an honest agent could make too, which quarantines no agent."""
    detail: Mapped[str] = mapped_column(Text)
    evidence: Mapped[dict[str, Any]]
    """Values of the first report since the agent was last trusted, for example the case and both digests."""
    times: Mapped[int] = mapped_column(default=1)
    first_at: Mapped[datetime] = mapped_column(default=now)
    last_at: Mapped[datetime] = mapped_column(default=now)
    lifted_at: Mapped[datetime | None]
    """Time at which an operator trusted the agent again."""


class Inventory(Numbered, Base):
    """The facts that a daemon detected; append-only."""

    __tablename__ = "inventories"
    __table_args__ = (UniqueConstraint("agent_id", "sha256"),)

    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), index=True)
    sha256: Mapped[str] = mapped_column(String(64))
    architecture: Mapped[str] = mapped_column(String(16))
    emulated: Mapped[bool]
    facts: Mapped[dict[str, Any]]
    detected_at: Mapped[datetime] = mapped_column(default=now)


class Build(Numbered, Base):
    """Runners made by one toolchain for one agent."""

    __tablename__ = "builds"
    __table_args__ = (UniqueConstraint("agent_id", "build_key"),)

    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), index=True)
    build_key: Mapped[str] = mapped_column(String(64))
    source_sha256: Mapped[str | None] = mapped_column(String(64))
    toolchain: Mapped[dict[str, Any]]
    compiler_version: Mapped[str] = mapped_column(Text)
    prebuilt: Mapped[bool] = mapped_column(default=False)
    """True for programs of unknown origin, from the folder in CIPHERMARK_RUNNERS_FOLDER."""
    cross_built: Mapped[dict[str, Any] | None]
    """CrossBuilt of programs that the service's machine compiled; NULL for programs compiled on the agent."""
    build_wall_ns: Mapped[int | None]
    compile_commands: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """Command lines by compiled or linked target, with the folders replaced by ``<source>`` and ``<build>``."""
    runners: Mapped[dict[str, Any]]
    """RunnerBinary by provider, with the output of ``list``; empty if the build failed."""
    failure: Mapped[str | None] = mapped_column(Text)
    """Reason of a failure: the last lines of the compiler. NULL for a build that can be executed."""
    missing_providers: Mapped[dict[str, Any]] = mapped_column(default=dict)
    sources: Mapped[list[dict[str, Any]] | None]
    """SourceGroup of each set of source files, measured by the scheduler; NULL until then."""
    reported_at: Mapped[datetime] = mapped_column(default=now)
    current: Mapped[bool] = mapped_column(default=True)
    """True for the newest build of its toolchain on this agent, which new runs use."""
    is_default: Mapped[bool] = mapped_column(default=False)
    """True for the build that the daemon makes at its start, for plans without a toolchain."""


class BuildRequest(Numbered, Base):
    """Request of runs for a build of a toolchain on an agent, settled by a build or a failure."""

    __tablename__ = "build_requests"
    __table_args__ = (UniqueConstraint("agent_id", "toolchain_key"),)

    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    toolchain_key: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the toolchain, for the unique constraint."""
    toolchain: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(String(8), default="open")
    """open, ready or failed."""
    build_id: Mapped[int | None] = mapped_column(ForeignKey("builds.id"))
    """Build of the latest outcome, or the row that stores its failure."""
    requested_at: Mapped[datetime] = mapped_column(default=now)
    settled_at: Mapped[datetime | None]


class AwaitedBuild(Base):
    """Build request that a run waits for before it is laid out."""

    __tablename__ = "awaited_builds"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    request_id: Mapped[int] = mapped_column(
        ForeignKey("build_requests.id"), primary_key=True, autoincrement=False, index=True
    )


class ImplementationColumns(Numbered):
    """Columns of rows about one implementation of a build."""

    build_id: Mapped[int] = mapped_column(ForeignKey("builds.id"), index=True, sort_order=-1)
    provider: Mapped[str] = mapped_column(String(32), sort_order=-1)
    algorithm: Mapped[str] = mapped_column(String(64), sort_order=-1)
    variant: Mapped[str] = mapped_column(String(32), sort_order=-1)


class Footprint(ImplementationColumns, Base):
    """Memory footprint of one implementation of a build, executed or not, or of its sources on another target."""

    __tablename__ = "footprints"
    __table_args__ = (UniqueConstraint("build_id", "provider", "algorithm", "variant", "target"),)

    target: Mapped[str] = mapped_column(String(32), default="")
    """Processor that it was compiled for; empty: the one that the build is for."""
    code_bytes: Mapped[int | None]
    """.text and .rodata of a program with this implementation alone, less those of an empty program."""
    constant_bytes: Mapped[int | None]
    """Of `code_bytes`, the .rodata; NULL where only the sum is known."""
    static_ram_bytes: Mapped[int | None]
    """.data and .bss of the same program, less those of an empty program."""
    context_bytes: Mapped[int | None]
    """Size of the context that the caller stores for a key."""
    stack_bytes: Mapped[dict[str, Any] | None]
    """Deepest stack of each operation by its name."""
    reason: Mapped[str] = mapped_column(Text, default="")
    """Reason of the NULL values."""


class ConstantTimeCheck(ImplementationColumns, Base):
    """Search for effects of secrets in one implementation of a build, by the agent."""

    __tablename__ = "constant_time_checks"
    __table_args__ = (UniqueConstraint("build_id", "provider", "algorithm", "variant"),)

    errors: Mapped[int | None]
    """Branches and addresses that depend on a secret: a lower bound. NULL: not checked."""
    max_message_bytes: Mapped[int | None]
    hidden_features: Mapped[list[str]]
    """Features of the processor that valgrind hid."""
    reason: Mapped[str] = mapped_column(Text, default="")
    """Why errors is NULL."""
    t: Mapped[float | None]
    """Welch's t of times with fixed and with random inputs."""
    timed_calls: Mapped[int | None]
    timing_reason: Mapped[str] = mapped_column(Text, default="")
    """Why t is NULL."""
    checked_at: Mapped[datetime] = mapped_column(default=now)


class Proof(ImplementationColumns, Base):
    """Result of the known-answer tests of one implementation on one build."""

    __tablename__ = "proofs"
    __table_args__ = (UniqueConstraint("build_id", "provider", "algorithm", "variant"),)

    passed: Mapped[bool]
    output_sha256: Mapped[str | None] = mapped_column(String(64))
    detail: Mapped[str] = mapped_column(Text, default="")
    relative_times: Mapped[dict[str, Any] | None]
    """Length of a message in bytes → its time divided by that of the runner's own choice; NULL: not calibrated."""
    fastest_at: Mapped[list[int] | None]
    """Of these lengths, those for which it is the default variant."""
    proved_at: Mapped[datetime] = mapped_column(default=now)


class BuildChallenge(ImplementationColumns, Base):
    """Message with a random key that an implementation of a build must encrypt as the service does."""

    __tablename__ = "challenges"
    __table_args__ = (Index("ix_challenges_open", "state", "created_at"),)

    shares: Mapped[int | None]
    """Form of a masked variant; NULL for an unmasked implementation, like the next two."""
    masking: Mapped[str | None] = mapped_column(String(16))
    generator: Mapped[str | None] = mapped_column(String(16))
    key: Mapped[str] = mapped_column(String(256))
    """Hexadecimal, as the nonce."""
    nonce: Mapped[str] = mapped_column(String(256))
    seed: Mapped[str] = mapped_column(String(32))
    """Seed of the message (wire/builds.py)."""
    message_bytes: Mapped[int]
    expected_sha256: Mapped[str] = mapped_column(String(64))
    """SHA-256 of ciphertext and tag, computed before the challenge was sent."""
    computed_by: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(8), default="open")
    """open, passed, failed or expired."""
    answer_sha256: Mapped[str | None] = mapped_column(String(64))
    """SHA-256 of the agent's ciphertext; NULL before the answer, and where its runner ended with an error."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    answered_at: Mapped[datetime | None]


class Calibration(Numbered, Base):
    """Overhead of measuring on a build: noise floor, cost of the probe, noop."""

    __tablename__ = "calibrations"
    __table_args__ = (Index("ix_calibrations_latest", "build_id", "kind", "id"),)

    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), index=True)
    build_id: Mapped[int] = mapped_column(ForeignKey("builds.id"))
    kind: Mapped[str] = mapped_column(String(16))
    value: Mapped[float]
    unit: Mapped[str] = mapped_column(String(32))
    detail: Mapped[dict[str, Any]]
    calibrated_at: Mapped[datetime] = mapped_column(default=now)


class HealthCheck(Numbered, Base):
    """Health check of an agent with its judgment."""

    __tablename__ = "health_checks"
    __table_args__ = (Index("ix_health_checks_line", "agent_id", "checked_at"),)

    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    build_id: Mapped[int] = mapped_column(ForeignKey("builds.id"))
    checked_at: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(12))
    """healthy, degraded, quarantined."""
    reason: Mapped[str] = mapped_column(Text, default="")
    control_wall_ns: Mapped[float]
    """Median of the control workload's work_wall_ns."""
    drift: Mapped[float | None]
    """control_wall_ns divided by that of the steady checks with the same baseline, minus 1; NULL for the first."""
    noise_floor: Mapped[float | None]
    facts: Mapped[dict[str, Any]]
    """The whole report."""


class PreflightReport(Numbered, Base):
    """Results of the preflight checks of an agent before a run or with a health check."""

    __tablename__ = "preflight_reports"

    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"), index=True)
    run_id: Mapped[str | None] = mapped_column(ForeignKey("runs.id"), index=True)
    checked_at: Mapped[datetime]
    facts: Mapped[dict[str, Any]]
    """The whole report with its results."""


class SensorReading(Numbered, Base):
    """Reading of an agent's sensor (temperature, frequency, power); pruned by the scheduler."""

    __tablename__ = "sensor_readings"
    __table_args__ = (
        Index("ix_sensor_readings_line", "agent_id", "sensor", "read_at"),
        Index("ix_sensor_readings_oldest", "agent_id", "read_at"),
    )

    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    sensor: Mapped[str] = mapped_column(String(64))
    unit: Mapped[str] = mapped_column(String(16), default="")
    read_at: Mapped[datetime]
    value: Mapped[float | None]
    reason: Mapped[str] = mapped_column(Text, default="")
