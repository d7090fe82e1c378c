"""Columns of the cases of a comparison."""

from collections.abc import Callable

from orchestrator.results.columns.cells import copy_label, provider_cell
from orchestrator.results.comparisons.schemas import ComparisonPart, ComparisonRow, ComparisonSide, RunComparison
from orchestrator.shared.tables import Cell, Column, differ, limits, number, shown
from orchestrator.shared.units import format_p_value, format_quantity, format_ratio, format_share, format_size
from orchestrator.shared.values.forms import variant_label
from orchestrator.shared.values.text import counted
from orchestrator.wire.messages import operation_label


def comparison_columns(part: ComparisonPart, found: RunComparison, *, page: bool) -> list[Column]:
    """Return the columns of the cases that two sides have; page: with those that a terminal has no room for."""
    rows, unit = part.rows, found.unit
    columns = [
        (True, Column("result", keeps_width=True, value=lambda row: _result(row, imported=part.other.imported))),
        (True, Column("algorithm", heads_row=True, value=_algorithm)),
        (True, Column("provider", value=_provider)),
        (
            page or differ(rows, "toolchain"),
            Column("toolchain", value=lambda row: _change(row.toolchain, row.other_toolchain)),
        ),
        (
            page or differ(rows, "agent_name"),
            Column("agent", value=lambda row: _change(row.agent_name, row.other_agent_name)),
        ),
        (True, Column("input", value=_input)),
        (True, number("ratio", lambda row: Cell(format_ratio(row.ratio), tone="strong"))),
        (True, number("95 % interval", lambda row: _interval(row, found.comparisons))),
        (page, _side(found.first, lambda row: format_quantity(row.value, unit))),
        (page, _side(part.other, lambda row: format_quantity(row.other_value, unit))),
        (page, number("n", _readings)),
    ]
    return shown(columns)


def _side(side: ComparisonSide, value: Callable[[ComparisonRow], str]) -> Column:
    return Column(side.title, "right", is_name=True, value=value)


def _result(row: ComparisonRow, *, imported: bool) -> Cell:
    if imported:
        return Cell(
            "imported", title="Ciphermark did not measure this and verified nothing about it", tone="state imported"
        )
    if row.verdict in ("tie", "undecided"):
        return Cell(row.verdict, title="Fewer than 6 readings" if row.verdict == "undecided" else "", tone="state")
    return Cell(row.verdict, tone="bad" if row.verdict == "worse" else "strong")


def _algorithm(row: ComparisonRow) -> str:
    other = f" → {row.other_variant}" if row.other_variant != row.variant else ""
    return f"{row.algorithm} {variant_label(row)}{copy_label(row)}{other}"


def _provider(row: ComparisonRow) -> Cell | str:
    return provider_cell(row) if row.provider == row.other_provider else _change(row.provider, row.other_provider)


def _change(first: str, other: str) -> str:
    return first if first == other else f"{first} → {other}"


def _input(row: ComparisonRow) -> str:
    length = format_size(row.length_bytes) if row.has_message else ""
    data = f"+ {format_size(row.associated_data_bytes)} associated data" if row.associated_data_bytes else ""
    return " ".join(word for word in (operation_label(row.operation), length, row.input_kind, data) if word)


def _interval(row: ComparisonRow, comparisons: int) -> Cell:
    title = ""
    if row.adjusted_p is not None:
        title = f"p {format_p_value(row.adjusted_p)}, corrected for {counted(comparisons, 'case')}"
        if row.noise_floor is not None:
            title += f"; a difference within {format_share(row.noise_floor)} is a tie"
    reason = "an interval needs 6 readings of each side, all above 0"
    return Cell(limits(row.interval, format_ratio, " "), reason, title, tone="muted")


def _readings(row: ComparisonRow) -> str:
    if row.other_n is None:
        return f"{row.n}, —"
    return f"{row.n}, {row.other_n}" if row.method in ("unpaired", "imported") else str(row.n)
