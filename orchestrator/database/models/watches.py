"""Watches: plans that are executed again and again, and the changes that their runs show."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from orchestrator.database.models.base import Base, Numbered, now


class Watch(Base):
    """A plan that the scheduler submits again and again, with what its runs are compared with."""

    __tablename__ = "watches"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), unique=True)
    plan: Mapped[dict[str, Any]]
    """As submitted."""
    measure: Mapped[str | None] = mapped_column(String(16))
    """Measure of the comparisons; NULL: the first that the runs have."""
    every_seconds: Mapped[int | None]
    """Interval of the looks; NULL: a look follows a new build."""
    baseline_run_id: Mapped[str | None] = mapped_column(String(12))
    """Run that all others are compared with; without it and a tag, the former runs of the watch."""
    baseline_tag: Mapped[str | None] = mapped_column(String(32))
    """Tag of the runs that all others are compared with."""
    outlets: Mapped[list[dict[str, Any]]]
    """Where changes are reported besides the page: kind and target."""
    paused: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str] = mapped_column(String(80), default="")
    owner_id: Mapped[str | None] = mapped_column(String(12))
    """Family of the token that added it, in whose name its runs are submitted; NULL: unknown."""
    due_at: Mapped[datetime | None]
    """Time of the next look; NULL with looks after builds."""
    seen_build_id: Mapped[int] = mapped_column(default=0)
    """Newest build at the last look; later ones cause a look."""
    looks: Mapped[int] = mapped_column(default=0)
    """Number of the last look."""
    notice: Mapped[str] = mapped_column(Text, default="")
    """Why the last due look was skipped or its run refused; empty if it was submitted."""
    noticed_at: Mapped[datetime | None]


class WatchLook(Numbered, Base):
    """A look of a watch: one run of its plan, perhaps further ones of suspected cases, and a decision."""

    __tablename__ = "watch_looks"
    __table_args__ = (UniqueConstraint("watch_id", "number"), Index("ix_watch_looks_state", "state"))

    watch_id: Mapped[str] = mapped_column(ForeignKey("watches.id"))
    number: Mapped[int]
    """1, 2, 3 … within the watch."""
    state: Mapped[str] = mapped_column(String(12), default="measuring")
    """measuring, confirming, decided or failed."""
    reason: Mapped[str] = mapped_column(Text, default="")
    """Why it failed, or what a decided one lacks."""
    began_at: Mapped[datetime] = mapped_column(default=now)
    decided_at: Mapped[datetime | None]
    measure: Mapped[str | None] = mapped_column(String(16))
    """Measure that was compared; NULL before the first run has ended."""
    cases: Mapped[int | None]
    """Number of compared cases; NULL before the first run has ended."""
    suspects: Mapped[list[int] | None]
    """Cases that further runs confirm; NULL like the number of cases."""
    detectable: Mapped[float | None]
    """Relative change that half of the cases show at least; NULL with too few former runs."""


class WatchRun(Numbered, Base):
    """A run of a look; its values stay when the run is deleted."""

    __tablename__ = "watch_runs"
    __table_args__ = (UniqueConstraint("look_id", "place"), Index("ix_watch_runs_run_id", "run_id"))

    look_id: Mapped[int] = mapped_column(ForeignKey("watch_looks.id"))
    place: Mapped[int]
    """0: the run of the plan; 1, 2 … of the suspected cases."""
    run_id: Mapped[str] = mapped_column(String(12))
    state: Mapped[str] = mapped_column(String(8), default="open")
    """open, ended or failed."""
    reason: Mapped[str] = mapped_column(Text, default="")
    submitted_at: Mapped[datetime] = mapped_column(default=now)
    values: Mapped[dict[str, Any] | None]
    """Logarithm of each case's trimmed mean, by the id of the case; NULL before the run has ended."""


class WatchCase(Numbered, Base):
    """A case of a watch, the same in all its runs."""

    __tablename__ = "watch_cases"
    __table_args__ = (UniqueConstraint("watch_id", "key"),)

    watch_id: Mapped[str] = mapped_column(ForeignKey("watches.id"))
    key: Mapped[str] = mapped_column(String(64))
    """SHA-256 of what identifies it: agent, toolchain, implementation, operation and input."""
    facts: Mapped[dict[str, Any]]
    """The same for users."""
    levels: Mapped[list[int]] = mapped_column(default=list)
    """Looks that found a new level of it: a reported change, or a recovery."""
    lasting: Mapped[bool] = mapped_column(default=False)
    """The last level is a reported change, which a fixed baseline does not report again."""


class WatchChange(Numbered, Base):
    """A reported change of one case."""

    __tablename__ = "watch_changes"

    look_id: Mapped[int] = mapped_column(ForeignKey("watch_looks.id"), index=True)
    case_id: Mapped[int] = mapped_column(ForeignKey("watch_cases.id"))
    ratio: Mapped[float]
    """New / former."""
    low: Mapped[float]
    """Limits of its interval, corrected for all cases and looks."""
    high: Mapped[float]
    worse: Mapped[bool]
    new_runs: Mapped[int]
    former_runs: Mapped[int]


class WatchDelivery(Numbered, Base):
    """A report of a look to one outlet."""

    __tablename__ = "watch_deliveries"
    __table_args__ = (Index("ix_watch_deliveries_due", "state", "due_at"),)

    look_id: Mapped[int] = mapped_column(ForeignKey("watch_looks.id"), index=True)
    kind: Mapped[str] = mapped_column(String(8))
    """webhook, email or file."""
    target: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(12), default="waiting")
    """waiting, delivered or failed."""
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime] = mapped_column(default=now)
    """Time of the next attempt."""
    last_error: Mapped[str] = mapped_column(Text, default="")
    delivered_at: Mapped[datetime | None]
