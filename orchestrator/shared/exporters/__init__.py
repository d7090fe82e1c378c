"""Export formats: one module per format, discovered in this package.

A module declares its format's ``NAME``, which is also the file suffix, and ``MEDIA_TYPE``. Its ``stream`` turns column
names and rows into pieces of a file and never holds more than one piece. Formats with types or metadata also use the
facts of the columns; the others ignore them.
"""

import importlib
import json
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal, Protocol, cast

from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.values.text import visible_line

Cell = str | int | float | bool | None | dict[str, str]
"""Value of a cell; a mapping holds reasons by column name."""


@dataclass(frozen=True)
class ColumnFacts:
    """Type, unit and meaning of a column."""

    kind: Literal["text", "integer", "real", "flag", "time", "reasons"]
    """time: RFC 3339 text; reasons: a mapping."""
    unit: str = ""
    """Unit of a number: ``ns``, ``bytes``, ``1`` for a count; empty for other columns."""
    help: str = ""
    """Meaning in one sentence."""
    source: str = ""
    """Origin of a reading."""


Facts = Mapping[str, ColumnFacts]
"""Facts by column name; a column without any is text."""
NO_FACTS: Facts = MappingProxyType({})
TEXT = ColumnFacts("text")


class Exporter(Protocol):
    """Interface of every module in this package."""

    NAME: str
    MEDIA_TYPE: str

    def stream(
        self, columns: Sequence[str], rows: Iterable[Sequence[Cell]], facts: Facts = NO_FACTS
    ) -> Iterator[bytes]:
        """Yield the file in pieces."""


REASONS_ID = "id"
"""Key of the id among reasons."""
_MAX_SHARED = 10_000


class SharedReasons:
    """Writes equal reasons once: the first row that has them with an id, later rows with the id alone.

    Thousands of rows have the same reasons, which are up to half of a file.
    """

    def __init__(self) -> None:
        """Start without any reasons."""
        self._ids: dict[tuple[tuple[str, str], ...], str] = {}

    def shared(self, reasons: dict[str, str]) -> dict[str, str] | str:
        """Return the reasons with an id at their first occurrence, and their id afterwards; nothing stays nothing.

        Reasons after the first 10 000 different ones are always complete, without an id.
        """
        key = tuple(reasons.items())
        if not reasons or key in self._ids:
            return self._ids.get(key, reasons)
        if len(self._ids) == _MAX_SHARED:
            return reasons
        name = self._ids[key] = f"r{len(self._ids) + 1}"
        return {REASONS_ID: name, **reasons}


class CompleteReasons:
    """Reads what SharedReasons wrote, in the order of the rows."""

    def __init__(self) -> None:
        """Start without any reasons."""
        self._known: dict[str, dict[str, str]] = {}

    def complete(self, cell: dict[str, str] | str | None) -> dict[str, str]:
        """Return all reasons of a row. Raises KeyError for an id without reasons in an earlier row."""
        if isinstance(cell, str):
            return self._known[cell]
        reasons = dict(cell or {})
        name = reasons.pop(REASONS_ID, None)
        if name is not None:
            self._known[name] = reasons
        return reasons


@cache
def exporters() -> Mapping[str, Exporter]:
    """Return every format by its name."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return MappingProxyType({module.NAME: cast(Exporter, module) for module in modules})


def exporter(name: str) -> Exporter:
    """Return the format of that name; raises InvalidRequest that lists the known formats."""
    known = exporters()
    if name not in known:
        raise InvalidRequest(
            f"There is no export format {name!r}.", remedy=f"Known: {', '.join(sorted(known))}.", field="format"
        )
    return known[name]


def plain_text(cell: Cell) -> str:
    """Return a cell of a table of text, in one line; an absent value is empty, never 0."""
    if cell is None or cell == {}:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    text = json.dumps(cell, ensure_ascii=False) if isinstance(cell, dict) else str(cell)
    return visible_line(" ".join(text.split()))


def pieces(lines: Iterable[str], rows_per_piece: int = 100) -> Iterator[bytes]:
    """Yield the lines, each with its end, in pieces of up to 100."""
    together: list[str] = []
    for line in lines:
        together.append(line)
        if len(together) == rows_per_piece:
            yield "".join(together).encode()
            together.clear()
    yield "".join(together).encode()
