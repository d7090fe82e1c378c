"""Imports in the terminal: always with the remark that nothing was verified."""

from collections.abc import Sequence

from rich.text import Text

from orchestrator.cli.moments import show_moment
from orchestrator.cli.output import Column, console, figure, limits, notes, number, print_pairs, print_rows
from orchestrator.results.imports.schemas import (
    ImportComparison,
    ImportComparisonRow,
    ImportDetail,
    ImportedSeriesSummary,
)
from orchestrator.shared.units import format_imported, format_size


def print_import(found: ImportDetail, series: Sequence[ImportedSeriesSummary]) -> None:
    """Print an import with its series."""
    print_pairs(
        [
            ("import", f"{found.id}, {found.name}"),
            ("tool", found.tool),
            ("device", found.device or "unknown: neither the file nor --device names it"),
            ("imported", f"{show_moment(found.imported_at)} by {found.imported_by}"),
            ("scope", found.scope),
            *found.facts.items(),
        ]
    )
    console().print(Text(found.remark, style="bold"))
    print_rows(_SERIES_COLUMNS, series)
    left = found.series_total - len(series)
    if left > 0:
        notes().print(f"{left} further series (--search, --rows).", style="dim")
    remarks = dict.fromkeys(remark for one in series for remark in one.remarks)
    for sentence in (found.dispersion, *found.omissions, *remarks):
        console().print(f"- {sentence}", markup=False)


def print_import_comparison(found: ImportComparison) -> None:
    """Print the rows next to the imported series, after everything that limits the comparison."""
    own, other = found.series, found.other
    out = console()
    out.print(Text(f"{own.name}: {own.quantity} (imported, {found.first.tool})", style="bold"), soft_wrap=True)
    out.print(f"compared with {other.kind} {other.id}: {other.quantity}", markup=False, soft_wrap=True)
    for sentence in found.remarks:
        out.print(f"- {sentence}", markup=False)
    columns = (
        Column("origin", keeps_width=True, value=lambda row: "imported" if row.imported else "measured"),
        Column("name"),
        Column("details", value=lambda row: ", ".join(row.details)),
        Column("input", keeps_width=True, value=_length),
        number("value", lambda row: _value(row, own.unit)),
        number("n"),
        number("ratio to import", lambda row: figure(row.ratio, ".3g")),
        number("95 % interval", lambda row: limits(row.interval, ".3g", " ")),
    )
    imported = ImportComparisonRow(
        name=own.name, details=[own.quantity], imported=True, length_bytes=None, value=own.value,
        statistic=own.statistic, n=own.n, ratio=1, interval=None, absent_because={},
    )  # fmt: skip
    print_rows(columns, [imported, *found.rows])
    if found.rows_total > len(found.rows):
        notes().print(f"{found.rows_total - len(found.rows)} further rows (--search, --rows).", style="dim")
    out.print(found.method, style="dim", markup=False)


def _length(row: ImportComparisonRow) -> str | None:
    return None if row.length_bytes is None else format_size(row.length_bytes)


def _interval(one: ImportedSeriesSummary) -> str | None:
    if one.interval is None:
        return None
    return " ".join(format_imported(end, one.unit) for end in (one.interval.low, one.interval.high))


def _value(row: ImportComparisonRow | ImportedSeriesSummary, unit: str) -> str:
    """Return the figure, with its name where it is no median."""
    shown = format_imported(row.value, unit)
    return shown if row.statistic == "median" else f"{shown} ({row.statistic})"


_SERIES_COLUMNS = (
    number("#", "position"), Column("name"), Column("quantity"),
    number("value", lambda one: _value(one, one.unit)), number("95 % interval", _interval), number("n"),
)  # fmt: skip
