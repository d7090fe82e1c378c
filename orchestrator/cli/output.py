"""Output of commands: tables that fit the terminal, JSON for programs."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from orchestrator.shared.tables import Column

JSONOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

MISSING = "—"
"""Shown for an absent value."""
_GAP = 2
"""Spaces between two columns."""
_FOLDED_WIDTH = 18
"""Width above which a word is folded over several lines: no cipher, provider or compiler has a longer name."""
_SHORTENED_WIDTH = 10
"""Smallest width of a column whose cells may be shortened."""
REDIRECTED_COLUMNS = 160
"""Width of output to a file or a program, unless COLUMNS specifies another: enough for every name in full."""


def console() -> Console:
    """Return the console for results, as wide as the terminal."""
    is_sized = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(highlight=False, soft_wrap=False, width=None if is_sized else REDIRECTED_COLUMNS)


def notes() -> Console:
    """Return the console for progress and remarks: standard error, so that results can be piped."""
    from orchestrator.shared.logs import standard_error  # noqa: PLC0415 - commands without notes do not import structlog

    return Console(file=standard_error(), highlight=False)


@contextmanager
def spinner(activity: str) -> Iterator[Callable[[str], None]]:
    """Show an activity and its time on a terminal until the end of the block; yield a function that replaces it."""
    # Most commands show no activity.
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=notes(), transient=True) as bar:
        task = bar.add_task(activity)
        yield lambda text: bar.update(task, description=text)


def first(items: Iterable[object], limit: int) -> list[object]:
    """Return up to `limit` items, with a remark if there is a further one."""
    found = list(islice(items, limit + 1))
    if len(found) > limit:
        notes().print(f"There are more than {limit}; --limit lists further ones.", style="dim")
    return found[:limit]


def print_json(data: Any, **changes: object) -> None:
    """Print data as JSON; changes: other or further fields of an object."""
    json.dump({**data, **changes} if changes else data, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def print_rows(columns: Sequence[Column], rows: Iterable[Any]) -> None:
    """Print objects of the API as rows, by the values of the columns."""
    print_table(columns, ([column.cell(row).text for column in columns] for row in rows))


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """Print rows as a table that fits the terminal; None is shown as a dash.

    Cells wrap between words. Where that does not suffice, columns that may be dropped are, with a line that names them;
    after that, lines are wider than the terminal, because a part of a name is none.
    """
    out = console()
    cells = [[_cell(value) for value in row] for row in rows]
    kept = _fitting(columns, cells, out.width)
    cells_kept = [[row[place] for place in kept] for row in cells]
    widths = _widths(list(kept.values()), cells_kept, out.width)
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column, width in zip(kept.values(), widths, strict=True):
        overflow: Literal["ellipsis", "fold"] = "ellipsis" if column.shortened else "fold"
        table.add_column(
            column.title, justify=column.justify, no_wrap=column.keeps_width, overflow=overflow, width=width
        )
    for row in cells_kept:
        table.add_row(*row)
    out.width = max(out.width, sum(widths) + _GAP * (len(widths) - 1))
    out.print(table)
    dropped = [column.title for place, column in enumerate(columns) if place not in kept]
    if dropped:
        out.print(f"Left out in this width: {', '.join(dropped)}; --json has all.", style="dim", markup=False)


def _fitting(columns: Sequence[Column], cells: Sequence[Sequence[Text]], width: int) -> dict[int, Column]:
    """Return the columns by their places, without those that a width has no room for."""
    kept = dict(enumerate(columns))
    for place in sorted((place for place in kept if columns[place].drop), key=lambda one: columns[one].drop):
        if _width(kept, cells) <= width:
            break
        if columns[place].folds:
            kept[place] = replace(columns[place], keeps_width=False)
        if not columns[place].folds or _width(kept, cells) > width:
            del kept[place]
    return kept


def _widths(columns: Sequence[Column], cells: Sequence[Sequence[Text]], available: int) -> list[int]:
    """Return the widths of columns: what each needs, and equal shares of the rest for those whose cells are wider.

    Rich would take the width of long columns from short ones as well, and break their words.
    """
    of_each = [[row[place] for row in cells] for place in range(len(columns))]
    widths = [_needed(column, own) for column, own in zip(columns, of_each, strict=True)]
    natural = [
        max(text.cell_len for text in (Text(column.title), *own)) for column, own in zip(columns, of_each, strict=True)
    ]
    left = available - sum(widths) - _GAP * (len(columns) - 1)
    while left > 0 and (growing := [place for place, width in enumerate(widths) if width < natural[place]]):
        share = max(1, left // len(growing))
        for place in growing[:left]:
            more = min(share, natural[place] - widths[place], left)
            widths[place] += more
            left -= more
    return widths


def _width(kept: Mapping[int, Column], cells: Sequence[Sequence[Text]]) -> int:
    needed = [_needed(column, [row[place] for row in cells]) for place, column in kept.items()]
    return sum(needed) + _GAP * (len(needed) - 1)


def _needed(column: Column, cells: Sequence[Text]) -> int:
    """Return the smallest width of a column: its widest cell, or its longest word if cells wrap."""
    texts = [Text(column.title), *cells]
    if column.shortened:
        return min(_SHORTENED_WIDTH, max(text.cell_len for text in texts))
    if column.keeps_width:
        return max(text.cell_len for text in texts)
    words = (Text(word).cell_len for text in texts for word in text.plain.split())
    return min(_FOLDED_WIDTH, max(words, default=0))


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
