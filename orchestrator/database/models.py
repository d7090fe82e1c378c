"""The tables (docs/schema.md says who writes which). Units are in the names; absent is NULL with a reason beside it."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

# SQLite gives only INTEGER PRIMARY KEY its own row number; elsewhere these need 64 bits.
BigKey = BigInteger().with_variant(Integer, "sqlite")


class UTCDateTime(TypeDecorator[datetime]):
    """A moment with its zone: SQLite keeps none, so everything is stored as UTC and returned as such."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse moments without a zone; store UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a moment without a zone cannot be stored: {value}")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return UTC with its zone."""
        return None if value is None else value.replace(tzinfo=UTC)


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


class Base(DeclarativeBase):
    """Root of the tables."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {
        datetime: UTCDateTime,
        # An absent document is SQL's NULL like every other absent value, never the JSON text null.
        dict[str, Any]: JSON(none_as_null=True),
        list[str]: JSON(none_as_null=True),
        list[int]: JSON(none_as_null=True),
        int: BigInteger,
    }


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
    heard_at: Mapped[datetime | None]
    state: Mapped[str] = mapped_column(String(16), default="enrolled")
    """As the last heartbeat said: enrolled, preparing, ready, executing, refusing."""
    doing: Mapped[str] = mapped_column(String(200), default="")
    held_jobs: Mapped[list[int]] = mapped_column(default=list)
    """Job ids of the last heartbeat."""
    idle_since: Mapped[datetime | None]
    """First of the latest heartbeats in a row that held no job."""
    spool_records: Mapped[int] = mapped_column(default=0)
    inventory_id: Mapped[int | None] = mapped_column(ForeignKey("inventories.id", use_alter=True))
    """The present one."""


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
    left_out: Mapped[dict[str, Any]] = mapped_column(default=dict)
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
    """The manifest's entry: licence, address, offset, whether a shorter source was repeated."""
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
    submitted_at: Mapped[datetime] = mapped_column(default=now, index=True)
    submitted_by: Mapped[str] = mapped_column(String(80), default="")
    layout_token: Mapped[str | None] = mapped_column(String(32))
    """Of the scheduler that lays the run out now: a second one at the same time stays away."""
    layout_touched_at: Mapped[datetime | None]
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
    least_timing_ms: Mapped[float | None]
    """How long each of them lasts at least."""
    shares: Mapped[int] = mapped_column(default=1)
    masking: Mapped[str | None] = mapped_column(String(16))
    generator: Mapped[str | None] = mapped_column(String(16))
    key_setup: Mapped[str | None] = mapped_column(String(16))
    """apart, or included in each call of a latency case."""
    language_version: Mapped[str | None] = mapped_column(String(32))


class CaseSummary(Base):
    """Statistics of one case over its ``ok`` executions.

    Derivable, but kept: a page of 100 000 executions must not compute medians while somebody waits. Written in the
    same transaction as the executions it sums up.
    """

    __tablename__ = "case_summaries"

    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"), primary_key=True, autoincrement=False)
    ok: Mapped[int] = mapped_column(default=0)
    failed: Mapped[int] = mapped_column(default=0)
    wrong: Mapped[int] = mapped_column(default=0)
    disputed: Mapped[int] = mapped_column(default=0)
    skipped: Mapped[int] = mapped_column(default=0)
    disturbed: Mapped[int] = mapped_column(default=0)
    median_encrypt_bytes_per_second: Mapped[float | None]
    low_encrypt_bytes_per_second: Mapped[float | None]
    """Lower and upper limit of the 95 % interval of the median; NULL below 6 executions."""
    high_encrypt_bytes_per_second: Mapped[float | None]
    median_decrypt_bytes_per_second: Mapped[float | None]
    median_pass_bytes_per_second: Mapped[float | None]
    low_pass_bytes_per_second: Mapped[float | None]
    high_pass_bytes_per_second: Mapped[float | None]
    median_call_wall_ns: Mapped[float | None]
    """Of a latency case: nanoseconds of one warm call, with its limits; NULL for the process protocol."""
    low_call_wall_ns: Mapped[float | None]
    high_call_wall_ns: Mapped[float | None]
    median_call_cpu_ns: Mapped[float | None]
    median_cold_call_wall_ns: Mapped[float | None]
    median_work_wall_ns: Mapped[float | None]
    median_work_cpu_ns: Mapped[float | None]
    median_peak_rss_bytes: Mapped[float | None]


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
    """waiting, sent, running, done, cancelled, lost."""
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


class Execution(Base):
    """One repetition of one case, measured once."""

    __tablename__ = "executions"
    __table_args__ = (
        UniqueConstraint("case_id", "repetition", "purpose"),
        Index("ix_executions_run_state", "run_id", "state"),
        Index("ix_executions_job_state", "job_id", "state"),
        CheckConstraint("state IN ('waiting','ok','failed','wrong','disputed','skipped')", name="state_is_known"),
    )

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    """The case's run, repeated here so that progress is one covering index."""
    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"))
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id"))
    """NULL for what was skipped from the beginning: no build could be made for it."""
    repetition: Mapped[int]
    purpose: Mapped[str] = mapped_column(String(8), default="timing")
    position: Mapped[int | None]
    """Place in the randomised order of its run and agent; NULL like job_id."""
    state: Mapped[str] = mapped_column(String(8), default="waiting")
    attempt: Mapped[int | None]
    session_id: Mapped[str | None] = mapped_column(String(32))
    inventory_id: Mapped[int | None] = mapped_column(ForeignKey("inventories.id"))
    started_at: Mapped[datetime | None]
    stored_at: Mapped[datetime | None]
    work_wall_ns: Mapped[int | None]
    process_wall_ns: Mapped[int | None]
    key_setup_wall_ns: Mapped[int | None]
    encrypt_wall_ns: Mapped[int | None]
    decrypt_wall_ns: Mapped[int | None]
    work_cpu_ns: Mapped[int | None]
    call_wall_ns: Mapped[float | None]
    """Median over the timings of a latency execution: a timing divided by its iterations."""
    call_cpu_ns: Mapped[float | None]
    peak_rss_bytes: Mapped[int | None]
    ciphertext_sha256: Mapped[str | None] = mapped_column(String(64))
    disturbed: Mapped[bool] = mapped_column(default=False)
    readings: Mapped[dict[str, Any] | None]
    """Every other reading by its name in the metrics registry; ``absent`` holds the reasons of the nulls."""
    failure: Mapped[dict[str, Any] | None]
    """error, detail, exit_code, signal, stderr_tail."""


class Curve(Base):
    """The samples of one execution: one compressed column-wise blob (database/curves.py)."""

    __tablename__ = "curves"

    execution_id: Mapped[int] = mapped_column(ForeignKey("executions.id"), primary_key=True, autoincrement=False)
    samples: Mapped[int]
    source: Mapped[str] = mapped_column(String(8))
    columns: Mapped[bytes] = mapped_column(LargeBinary)


class Timings(Base):
    """The timed values of one latency execution: one compressed column-wise blob."""

    __tablename__ = "timings"

    execution_id: Mapped[int] = mapped_column(ForeignKey("executions.id"), primary_key=True, autoincrement=False)
    timings: Mapped[int]
    columns: Mapped[bytes] = mapped_column(LargeBinary)


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


class SensorReading(Base):
    """One reading of an agent's own time line (temperature, frequency, power)."""

    __tablename__ = "sensor_readings"
    __table_args__ = (Index("ix_sensor_readings_line", "agent_id", "sensor", "read_at"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("agents.id"))
    sensor: Mapped[str] = mapped_column(String(64))
    read_at: Mapped[datetime]
    value: Mapped[float | None]
    reason: Mapped[str] = mapped_column(Text, default="")


class ExpectedDigest(Base):
    """The SHA-256 that an algorithm must give for a chunk with the default key and nonce."""

    __tablename__ = "expected_digests"
    __table_args__ = (UniqueConstraint("algorithm", "input_sha256"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    algorithm: Mapped[str] = mapped_column(String(64))
    input_sha256: Mapped[str] = mapped_column(String(64))
    ciphertext_sha256: Mapped[str] = mapped_column(String(64))
    basis: Mapped[str] = mapped_column(String(16))
    """third-party (a proven implementation agrees with Python's cryptography) or agreement (two proven providers)."""
    detail: Mapped[str] = mapped_column(Text, default="")
    learnt_at: Mapped[datetime] = mapped_column(default=now)


class DigestQuestion(Base):
    """An input whose ciphertexts should be judged: records with digests came that no sure expectation covers."""

    __tablename__ = "digest_questions"
    __table_args__ = (UniqueConstraint("algorithm", "input_sha256"),)

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    algorithm: Mapped[str] = mapped_column(String(64))
    input_sha256: Mapped[str] = mapped_column(String(64))
    asked: Mapped[int] = mapped_column(default=1)
    """How often; an answer that was thought out before the latest asking does not settle the question."""


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


class Event(Base):
    """Something that listeners want to hear; pruned by the scheduler."""

    __tablename__ = "events"

    id: Mapped[int] = mapped_column(BigKey, primary_key=True)
    at: Mapped[datetime] = mapped_column(default=now)
    run_id: Mapped[str | None] = mapped_column(String(12), index=True)
    agent_id: Mapped[str | None] = mapped_column(String(12))
    kind: Mapped[str] = mapped_column(String(32))
    """run-state, job-state, progress, verdict, agent-state."""
    data: Mapped[dict[str, Any]]


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


class Tick(Base):
    """When a program that works by ticks last finished one: what readiness asks for."""

    __tablename__ = "ticks"

    program: Mapped[str] = mapped_column(String(16), primary_key=True)
    ticked_at: Mapped[datetime] = mapped_column(default=now)
