"""Executions with their curves and timings, statistics of cases, expected digests."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint, text
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column

from orchestrator.database.models.base import Base, Numbered, now


class Execution(Numbered, Base):
    """One repetition of one case, measured once."""

    __tablename__ = "executions"
    __table_args__ = (
        UniqueConstraint("case_id", "repetition", "purpose"),
        Index("ix_executions_run_state", "run_id", "state"),
        Index("ix_executions_job_state", "job_id", "state"),
        CheckConstraint("state IN ('waiting','ok','failed','wrong','disputed','skipped')", name="state_is_known"),
    )

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    """Run of the case, repeated here so that progress is counted in one covering index."""
    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"))
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id"))
    """NULL for an execution that was skipped because its build failed."""
    repetition: Mapped[int]
    purpose: Mapped[str] = mapped_column(String(8), default="timing")
    position: Mapped[int | None]
    """Position in the randomized order of its run and agent; NULL like job_id."""
    state: Mapped[str] = mapped_column(String(8), default="waiting")
    attempt: Mapped[int | None]
    session_id: Mapped[str | None] = mapped_column(String(32))
    inventory_id: Mapped[int | None] = mapped_column(ForeignKey("inventories.id"), index=True)
    started_at: Mapped[datetime | None]
    stored_at: Mapped[datetime | None]
    work_wall_ns: Mapped[int | None]
    process_wall_ns: Mapped[int | None]
    phase_wall_ns: Mapped[dict[str, Any] | None]
    """Time of each operation of a process, in their order; NULL for timed calls and without work."""
    work_cpu_ns: Mapped[int | None]
    call_wall_ns: Mapped[float | None]
    """Median over the timings of a latency execution: a timing divided by its iterations."""
    call_cpu_ns: Mapped[float | None]
    peak_rss_bytes: Mapped[int | None]
    output_sha256: Mapped[str | None] = mapped_column(String(64))
    disturbed: Mapped[bool] = mapped_column(default=False)
    readings: Mapped[dict[str, Any] | None]
    """All other readings by their names in the metrics registry; ``absent`` has the reasons of null values."""
    failure: Mapped[dict[str, Any] | None]
    """error, detail, exit_code, signal, stderr_tail."""
    earlier_attempts: Mapped[list[dict[str, Any]] | None]
    """Attempts that failed by no fault of the runner, each with started_at and failure; NULL for none."""


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


class CaseStatistics(Base):
    """Statistics of one case over its ``ok`` executions.

    Derived from the executions and stored, because medians over 100 000 executions take too long for a request. The
    transaction that stores executions only counts its changes; the statistics follow (results/freshness).
    """

    __tablename__ = "case_statistics"
    __table_args__ = (
        Index(
            "ix_case_statistics_stale",
            "stale_since",
            sqlite_where=text("stale_since IS NOT NULL"),
            postgresql_where=text("stale_since IS NOT NULL"),
        ),
    )

    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"), primary_key=True, autoincrement=False)
    changes: Mapped[int] = mapped_column(default=0, server_default="0")
    """Number of changes of the case's executions: records stored, verdicts changed."""
    included: Mapped[int] = mapped_column(default=0, server_default="0")
    """Number of these changes that the statistics include."""
    stale_since: Mapped[datetime | None]
    """Time of the first change that is not included; NULL if all are."""
    ok: Mapped[int] = mapped_column(default=0)
    failed: Mapped[int] = mapped_column(default=0)
    wrong: Mapped[int] = mapped_column(default=0)
    disputed: Mapped[int] = mapped_column(default=0)
    skipped: Mapped[int] = mapped_column(default=0)
    disturbed: Mapped[int] = mapped_column(default=0)
    phases: Mapped[dict[str, Any] | None]
    """Median time and throughput of each operation of a process, with the limits of the throughput's interval."""
    median_pass_bytes_per_second: Mapped[float | None]
    low_pass_bytes_per_second: Mapped[float | None]
    """Lower and upper limit of the 95 % interval of the median; NULL below 6 executions."""
    high_pass_bytes_per_second: Mapped[float | None]
    median_call_wall_ns: Mapped[float | None]
    """Time of one warm call of a latency case; NULL for the process protocol."""
    low_call_wall_ns: Mapped[float | None]
    high_call_wall_ns: Mapped[float | None]
    median_call_cpu_ns: Mapped[float | None]
    median_cold_call_wall_ns: Mapped[float | None]
    median_work_wall_ns: Mapped[float | None]
    median_work_cpu_ns: Mapped[float | None]
    median_peak_rss_bytes: Mapped[float | None]
    """Median over the executions for memory, if the plan measures memory apart."""
    warm_ups: Mapped[int] = mapped_column(default=0)
    outliers: Mapped[int] = mapped_column(default=0)
    """Outliers among the ok executions by work_wall_ns or call_wall_ns; none is excluded."""
    mad_work_wall_ns: Mapped[float | None]
    """Median absolute deviation from the median, not scaled."""
    mad_call_wall_ns: Mapped[float | None]
    relative_interval: Mapped[float | None]
    """Half the width of the 95 % interval of the headline, divided by its median; NULL below 6 executions."""
    median_cycles_per_instruction: Mapped[float | None]
    median_energy_per_execution_joules: Mapped[float | None]
    median_energy_per_byte_joules: Mapped[float | None]

    @hybrid_property
    def ended(self) -> int:
        """Number of all executions that ended, also in queries."""
        return self.ok + self.failed + self.wrong + self.disputed + self.skipped + self.warm_ups


class ExpectedDigest(Numbered, Base):
    """Expected SHA-256 of the output for an input; of a cipher, under the default key and nonce."""

    __tablename__ = "expected_digests"
    __table_args__ = (UniqueConstraint("algorithm", "input_sha256"),)

    algorithm: Mapped[str] = mapped_column(String(64))
    input_sha256: Mapped[str] = mapped_column(String(64))
    output_sha256: Mapped[str] = mapped_column(String(64))
    basis: Mapped[str] = mapped_column(String(16))
    """service (its own computation) or agents (at least two that are trusted report it)."""
    vouched_by: Mapped[str] = mapped_column(Text, default="service")
    """Label of the basis: ``service``, or ``agents pi4 and pi5``."""
    detail: Mapped[str] = mapped_column(Text, default="")
    established_at: Mapped[datetime] = mapped_column(default=now)


class ServiceDigest(Numbered, Base):
    """Ciphertext digest that the service computed itself with the default key and nonce, or why it has none."""

    __tablename__ = "service_digests"
    __table_args__ = (
        UniqueConstraint("algorithm", "input_sha256"),
        Index("ix_service_digests_runners_key", "runners_key"),
    )

    algorithm: Mapped[str] = mapped_column(String(64))
    input_sha256: Mapped[str] = mapped_column(String(64))
    output_sha256: Mapped[str | None] = mapped_column(String(64))
    computed_by: Mapped[str] = mapped_column(Text, default="")
    """Python's cryptography, or a runner on the machine of the service."""
    reason: Mapped[str] = mapped_column(Text, default="")
    """Reason of a NULL digest."""
    runners_key: Mapped[str | None] = mapped_column(String(64))
    """Key of the service's runners at the attempt without a result, which is repeated with others; NULL otherwise."""
    computed_at: Mapped[datetime] = mapped_column(default=now)


class PendingDigest(Numbered, Base):
    """Input whose ciphertexts are to be judged, because records arrived before there was an expected digest."""

    __tablename__ = "pending_digests"
    __table_args__ = (UniqueConstraint("algorithm", "input_sha256"),)

    algorithm: Mapped[str] = mapped_column(String(64))
    input_sha256: Mapped[str] = mapped_column(String(64))
    requests: Mapped[int] = mapped_column(default=1)
    """Number of requests; a judgment that began before the latest one does not remove the row."""
