"""Imports in the terminal: always with the remark that nothing was verified."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from orchestrator.cli.output import Column, console, notes, number, print_pairs, print_table
from orchestrator.shared.units import format_imported, format_size


def print_import(document: Mapping[str, Any]) -> None:
    """Print an import with its series."""
    print_pairs(
        [
            ("import", f"{document['id']}, {document['name']}"),
            ("tool", document["tool"]),
            ("device", document["device"] or "unknown: neither the file nor --device names it"),
            ("imported", f"{document['imported_at'][:16].replace('T', ' ')} by {document['imported_by']}"),
            ("scope", document["scope"]),
            *((name, value) for name, value in document["facts"].items()),
        ]
    )
    console().print(Text(document["remark"], style="bold"))
    print_table(_SERIES_COLUMNS, [_series_cells(one) for one in document["series"]])
    left = document["series_total"] - len(document["series"])
    if left > 0:
        notes().print(f"{left} further series (--search, --rows).", style="dim")
    for sentence in (document["dispersion"], *document["omissions"], *_remarks(document["series"])):
        console().print(f"- {sentence}", markup=False)


def print_import_comparison(document: Mapping[str, Any]) -> None:
    """Print the rows next to the imported series, after everything that limits the comparison."""
    own, other = document["series"], document["other"]
    out = console()
    out.print(
        Text(f"{own['name']}: {own['quantity']} (imported, {document['first']['tool']})", style="bold"), soft_wrap=True
    )
    out.print(f"compared with {other['kind']} {other['id']}: {other['quantity']}", markup=False, soft_wrap=True)
    for sentence in document["remarks"]:
        out.print(f"- {sentence}", markup=False)
    columns = (
        Column("origin", keeps_width=True), Column("name"), Column("details"), Column("input", keeps_width=True),
        number("value"), number("n"), number("ratio to import"), number("95 % interval"),
    )  # fmt: skip
    unit = own["unit"]
    imported = ("imported", own["name"], own["quantity"], None, _value(own, unit), own["n"], "1", None)
    rows = [
        (
            "imported" if row["imported"] else "measured",
            row["name"],
            ", ".join(row["details"]),
            None if row["length_bytes"] is None else format_size(row["length_bytes"]),
            _value(row, unit),
            row["n"],
            None if row["ratio"] is None else f"{row['ratio']:.3g}",
            None if row["interval"] is None else f"{row['interval']['low']:.3g} {row['interval']['high']:.3g}",
        )
        for row in document["rows"]
    ]
    print_table(columns, [imported, *rows])
    if document["rows_total"] > len(rows):
        notes().print(f"{document['rows_total'] - len(rows)} further rows (--search, --rows).", style="dim")
    out.print(document["method"], style="dim", markup=False)


_SERIES_COLUMNS = (
    number("#"), Column("name"), Column("quantity"), number("value"), number("95 % interval"), number("n"),
)  # fmt: skip


def _series_cells(one: Mapping[str, Any]) -> Sequence[object]:
    unit = one["unit"]
    limits = one["interval"]
    return (
        one["position"],
        one["name"],
        one["quantity"],
        _value(one, unit),
        None if limits is None else f"{format_imported(limits['low'], unit)} {format_imported(limits['high'], unit)}",
        one["n"],
    )


def _value(row: Mapping[str, Any], unit: str) -> str:
    """Return the figure, with its name where it is no median."""
    shown = format_imported(row["value"], unit)
    return shown if row["statistic"] == "median" else f"{shown} ({row['statistic']})"


def _remarks(series: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(remark for one in series for remark in one["remarks"]))
