"""Imported results of other tools. Nothing that ranks or judges reads these tables."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from orchestrator.database.models.base import Base, Numbered, now


class Import(Base):
    """Imported file of another tool."""

    __tablename__ = "imports"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    format: Mapped[str] = mapped_column(String(32))
    name: Mapped[str] = mapped_column(String(200))
    """Name of the file."""
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    """SHA-256 of the file, which is not kept."""
    device: Mapped[str | None] = mapped_column(String(120))
    """As the user or the file names it; NULL: neither does."""
    facts: Mapped[dict[str, Any]]
    """Statements of the file about tool, machine and time."""
    omissions: Mapped[list[str]]
    """Sentences about parts of the file that were not imported."""
    series_total: Mapped[int]
    readings_total: Mapped[int]
    imported_by: Mapped[str] = mapped_column(String(80))
    owner_id: Mapped[str | None] = mapped_column(String(12))
    """Family of the token that imported it; NULL: unknown."""
    imported_at: Mapped[datetime] = mapped_column(default=now, index=True)


class ImportedSeries(Numbered, Base):
    """One quantity of one benchmark of an imported file."""

    __tablename__ = "imported_series"
    __table_args__ = (UniqueConstraint("import_id", "position"),)

    import_id: Mapped[str] = mapped_column(ForeignKey("imports.id"))
    position: Mapped[int]
    """In the file, from 1."""
    name: Mapped[str] = mapped_column(String(1024))
    quantity: Mapped[str] = mapped_column(String(80))
    unit: Mapped[str] = mapped_column(String(16))
    """ns, bytes, bytes/s, 1/s; empty: the file states none."""
    value: Mapped[float]
    """Figure to show, in the unit like the next ones."""
    statistic: Mapped[str] = mapped_column(String(16))
    """median or mean."""
    low: Mapped[float | None]
    """Lower limit of the median's 95 % interval."""
    high: Mapped[float | None]
    mean: Mapped[float | None]
    standard_deviation: Mapped[float | None]
    minimum: Mapped[float | None]
    maximum: Mapped[float | None]
    n: Mapped[int | None]
    """Readings that the file has or summarizes."""
    readings: Mapped[bytes | None] = mapped_column(LargeBinary)
    """Every reading (see results/imports/readings.py)."""
    processes: Mapped[list[int] | None]
    """Number of readings of each process."""
    facts: Mapped[dict[str, Any]]
    remarks: Mapped[list[str]]
    absent_because: Mapped[dict[str, Any]]
    """Reason of each absent value by its name."""
