"""Columns of tables, each declared once for the terminal and for pages."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal


@dataclass(frozen=True)
class Cell:
    """A value with what explains it. A terminal shows the text alone."""

    text: object | None
    reason: str = ""
    """Why there is no text."""
    title: str = ""
    """Explanation of the text, on pages."""
    after: str = ""
    """Smaller print behind the text, on pages, such as the limits of its interval."""
    tone: Literal["", "strong", "muted", "bad", "verified", "state", "state imported", "provider"] = ""


Value = str | Callable[[Any], object]
"""Cell of a row: a field of the row, by default the one named like the title, or a function that returns it as Cell or
in a form that str() suffices for; None is absent."""


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    title: str
    justify: Literal["left", "right"] = "left"
    keeps_width: bool = False  # cells are never wrapped: ids, numbers, names that users type
    shortened: bool = False  # a cell that is too wide is cut with an ellipsis instead of wrapped
    drop: int = 0  # where the terminal is too narrow, columns are left out from 1 on; 0 stays
    folds: bool = False  # before it is left out, its cells wrap
    value: Value = ""
    heads_row: bool = False  # its cell is what the row is about
    is_name: bool = False  # the title is a name, which pages do not capitalize

    def cell(self, row: object) -> Cell:
        """Return the cell of a row."""
        value = self.value or self.title
        found = value(row) if callable(value) else attrgetter(value)(row)
        return found if isinstance(found, Cell) else Cell(found)


def shown(columns: Iterable[tuple[bool, Column]]) -> list[Column]:
    """Return the columns that are to be shown."""
    return [column for is_shown, column in columns if is_shown]


def number(title: str, value: Value = "", drop: int = 0) -> Column:
    """Return a column of numbers: right-aligned, never wrapped."""
    return Column(title, "right", keeps_width=True, drop=drop, value=value)


def figure(value: float | None, form: str, unit: str = "") -> str | None:
    """Return a number in a format, ``.3g``, with its unit; None stays."""
    return None if value is None else f"{value:{form}}{unit}"


def limits(interval: Any, form: Callable[[float], str], between: str = " – ") -> str | None:
    """Return the limits of an interval in a format; None stays."""
    return None if interval is None else f"{form(interval.low)}{between}{form(interval.high)}"


def differ(rows: Sequence[Any], field: str) -> bool:
    """Return whether the rows have several values of a field."""
    return len({getattr(row, field) for row in rows}) > 1


def known(rows: Sequence[Any], field: str) -> bool:
    """Return whether any row has a value of a field."""
    return any(getattr(row, field) is not None for row in rows)
