"""Cells that several tables of answers have."""

from collections.abc import Sequence

from orchestrator.builds.schemas import ConstantTimeFigures
from orchestrator.results.schemas import CandidateFields, ImplementationFields, Interval, PlaceFields
from orchestrator.shared.tables import Cell, Column, differ, limits
from orchestrator.shared.units import format_quantity
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.models import EndedExecutions
from orchestrator.shared.values.ranks import rank_label, ranked_label

INCOMPLETE = "it lacks inputs of this table"


def rank_cell(place: PlaceFields, reason: str) -> Cell:
    """Return the possible ranks of a row, with its letters; reason: why there is no rank, or what is undecided."""
    text = ranked_label(place.rank, place.last_rank, place.groups, place.undecided)
    if place.rank is None or place.last_rank is None:
        return Cell(None, reason or "it is not ranked")
    title = f"Proven better than it: {place.rank - 1}; rank {rank_label(place.rank, place.last_rank)} is possible."
    return Cell(text, title=f"{title} {reason or 'Not every comparison is decided'}." if place.undecided else title)


def provider_cell(row: ImplementationFields) -> Cell:
    """Return the provider, which a page shows with its sign."""
    return Cell(row.provider, tone="provider")


def timing_cell(check: ConstantTimeFigures) -> Cell:
    """Return what is known of constant time."""
    if check.errors or (check.claimed is False and check.errors is None):
        return Cell(check.label, title=check.explanation, tone="bad")
    return Cell(check.label, title=check.explanation, tone="muted" if check.errors is None else "")


_VOUCHING = {
    "service": "The ciphertexts equal those that the service computed itself",
    "one agent": "Neither the service's own computation nor a second agent confirms the ciphertexts",
}


def vouched_cell(algorithm: str, vouched_by: str | None, counts: EndedExecutions) -> Cell:
    """Return what vouches for the outputs of executions, or that they are wrong."""
    if counts.wrong or counts.disputed:
        return Cell("wrong" if counts.wrong else "disputed", tone="bad")
    if not vouched_by:
        return Cell(None, INCOMPLETE if counts.ok else "no verified execution yet")
    if algorithm == "noop":
        return Cell(None, "noop does not encrypt, so there is no output to verify")
    title = _VOUCHING.get(vouched_by, "These agents report the same ciphertexts")
    return Cell(vouched_by, title=title, tone="" if vouched_by == "one agent" else "verified")


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
    return [Column("provider", value=provider_cell), Column("algorithm", heads_row=True, value=_algorithm), *toolchain]


def candidate_name(row: CandidateFields) -> str:
    """Return ``aes-128-ctr by own vaes, gcc -O3 #2``."""
    return f"{row.algorithm} by {row.provider} {variant_label(row)}, {row.toolchain}{copy_label(row)}"


def _algorithm(row: CandidateFields) -> Cell:
    return Cell(row.algorithm, after=f"{variant_label(row)}{copy_label(row)}")


def copy_label(row: ImplementationFields) -> str:
    """Return what follows the name of a copy of a case in its plan: `` #2``; empty for the first."""
    return f" #{row.copy_number}" if row.copy_number > 1 else ""
