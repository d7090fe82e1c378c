"""Imports in the terminal: always with the remark that nothing was verified."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from orchestrator.cli.output import Column, console, figure, limits, notes, number, print_pairs, print_rows
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
    print_rows(_SERIES_COLUMNS, document["series"])
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
    unit = own["unit"]
    columns = (
        Column("origin", keeps_width=True, value=lambda row: "imported" if row["imported"] else "measured"),
        Column("name"),
        Column("details", value=lambda row: ", ".join(row["details"])),
        Column("input", keeps_width=True, value=_length),
        number("value", lambda row: _value(row, unit)),
        number("n"),
        number("ratio to import", lambda row: figure(row["ratio"], ".3g")),
        number("95 % interval", lambda row: limits(row["interval"], ".3g", " ")),
    )
    imported = {
        **own,
        "imported": True,
        "details": [own["quantity"]],
        "length_bytes": None,
        "ratio": 1,
        "interval": None,
    }
    rows = document["rows"]
    print_rows(columns, [imported, *rows])
    if document["rows_total"] > len(rows):
        notes().print(f"{document['rows_total'] - len(rows)} further rows (--search, --rows).", style="dim")
    out.print(document["method"], style="dim", markup=False)


def _length(row: Mapping[str, Any]) -> str | None:
    return None if row["length_bytes"] is None else format_size(row["length_bytes"])


def _interval(one: Mapping[str, Any]) -> str | None:
    found = one["interval"]
    return found and " ".join(format_imported(found[end], one["unit"]) for end in ("low", "high"))


def _value(row: Mapping[str, Any], unit: str) -> str:
    """Return the figure, with its name where it is no median."""
    shown = format_imported(row["value"], unit)
    return shown if row["statistic"] == "median" else f"{shown} ({row['statistic']})"


def _remarks(series: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(remark for one in series for remark in one["remarks"]))


_SERIES_COLUMNS = (
    number("#", "position"), Column("name"), Column("quantity"),
    number("value", lambda one: _value(one, one["unit"])), number("95 % interval", _interval), number("n"),
)  # fmt: skip
