"""Cells that several tables of answers have."""

from collections.abc import Sequence

from orchestrator.builds.schemas import ConstantTimeFigures
from orchestrator.results.schemas import CandidateFields, Interval, PlaceFields
from orchestrator.shared.tables import Cell, Column, differ, limits
from orchestrator.shared.units import format_quantity
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.ranks import rank_label, ranked_label


def rank_cell(row: PlaceFields) -> Cell:
    """Return the possible ranks of a row, with its letters."""
    text, reason = ranked_label(row.rank, row.last_rank, row.groups, row.undecided), getattr(row, "reason", "")
    if row.rank is None or row.last_rank is None:
        return Cell(None, reason or "it is not ranked")
    title = f"Proven better than it: {row.rank - 1}; rank {rank_label(row.rank, row.last_rank)} is possible."
    return Cell(text, title=f"{title} {reason or 'Not every comparison is decided'}." if row.undecided else title)


def timing_cell(check: ConstantTimeFigures) -> Cell:
    """Return what is known of constant time."""
    if check.errors or (check.claimed is False and check.errors is None):
        return Cell(check.label, title=check.explanation, tone="bad")
    return Cell(check.label, title=check.explanation, tone="muted" if check.errors is None else "")


def quantities(interval: Interval | None, unit: str) -> str:
    """Return the limits of an interval with their unit; empty for none."""
    return limits(interval, lambda value: format_quantity(value, unit)) or ""


def ratios(interval: Interval | None) -> str:
    """Return the limits of the interval of a ratio; empty for none."""
    return limits(interval, "{:.2f}".format) or ""


def candidate_columns(rows: Sequence[CandidateFields], *, page: bool) -> list[Column]:
    """Return the columns that name a candidate: one in a terminal."""
    if not page:
        return [Column("candidate", value=candidate_name)]
    toolchain = [Column("toolchain")] if differ(rows, "toolchain") else []
    return [Column("provider"), Column("algorithm", heads_row=True, value=_algorithm), *toolchain]


def candidate_name(row: CandidateFields) -> str:
    """Return ``aes-128-ctr by own vaes, gcc -O3 #2``."""
    return f"{row.algorithm} by {row.provider} {variant_label(row)}, {row.toolchain}{_copy(row)}"


def _algorithm(row: CandidateFields) -> Cell:
    return Cell(row.algorithm, after=f"{variant_label(row)}{_copy(row)}")


def _copy(row: CandidateFields) -> str:
    return f" #{row.copy_number}" if row.copy_number > 1 else ""
