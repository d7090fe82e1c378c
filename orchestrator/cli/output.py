"""Output of commands: tables that fit the terminal, JSON for programs."""

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from orchestrator.values.forms import Form

JSONOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

MISSING = "—"
"""Shown for an absent value."""
REDIRECTED_COLUMNS = 160
"""Width of output to a file or a program, unless COLUMNS specifies another: enough for every name in full."""


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    title: str
    justify: Literal["left", "right"] = "left"
    keeps_width: bool = False  # cells are never wrapped: ids, numbers
    shortened: bool = False  # a word that is too wide is cut with an ellipsis instead of wrapped


def number(title: str) -> Column:
    """Return a column of numbers: right-aligned, never wrapped."""
    return Column(title, "right", keeps_width=True)


def console() -> Console:
    """Return the console for results, as wide as the terminal."""
    is_sized = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, soft_wrap=False, width=None if is_sized else REDIRECTED_COLUMNS)


def notes() -> Console:
    """Return the console for progress and remarks: standard error, so that results can be piped."""
    return Console(stderr=True, highlight=False)


def print_json(data: Any) -> None:
    """Print data as JSON."""
    json.dump(data, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """Print rows as a table that fits the terminal; None is shown as a dash."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    cells = [[_cell(value) for value in row] for row in rows]
    for place, column in enumerate(columns):
        overflow: Literal["ellipsis", "fold"] = "ellipsis" if column.shortened else "fold"
        # In a narrow terminal Rich shrinks every column without a minimum width.
        needed = max((row[place].cell_len for row in cells), default=0) if column.keeps_width else None
        table.add_column(
            column.title, justify=column.justify, no_wrap=column.keeps_width, overflow=overflow, min_width=needed
        )
    for row in cells:
        table.add_row(*row)
    console().print(table)


def variant_of(row: Mapping[str, Any]) -> str:
    """Return the variant in a row of the API, with the form of a masked one."""
    form = Form(row.get("shares") or 0, row.get("masking") or "", row.get("generator") or "")
    return form.label(row["variant"])


def print_pairs(pairs: Iterable[tuple[str, object]]) -> None:
    """Print names and values, one pair per line."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in pairs:
        table.add_row(name, _cell(value))
    console().print(table)


def _cell(value: object) -> Text:
    # Text, not markup: names and messages are untrusted and may contain brackets or control characters.
    if value is None or value == "":
        return Text(MISSING, style="dim")
    if isinstance(value, Text):
        return value
    return Text("".join(c if c.isprintable() else " " for c in str(value)))
