"""Imports in the terminal: always with the remark that nothing was verified."""

from collections.abc import Sequence

from rich.text import Text

from orchestrator.cli.moments import show_moment
from orchestrator.cli.output import Column, console, notes, number, print_pairs, print_rows
from orchestrator.results.imports.schemas import ImportDetail, ImportedSeriesSummary
from orchestrator.shared.units import format_imported


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


def _interval(one: ImportedSeriesSummary) -> str | None:
    if one.interval is None:
        return None
    return " ".join(format_imported(end, one.unit) for end in (one.interval.low, one.interval.high))


def _value(row: ImportedSeriesSummary) -> str:
    """Return the figure, with its name where it is no median."""
    shown = format_imported(row.value, row.unit)
    return shown if row.statistic == "median" else f"{shown} ({row.statistic})"


_SERIES_COLUMNS = (
    number("#", "position"), Column("name"), Column("quantity"),
    number("value", _value), number("95 % interval", _interval), number("n"),
)  # fmt: skip
