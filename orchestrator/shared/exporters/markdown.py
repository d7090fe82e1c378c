"""Markdown: a table as in GitHub's specification; the first column is aligned left, the others right."""

from collections.abc import Container, Iterable, Iterator, Sequence

from orchestrator.shared.exporters import NO_FACTS, Cell, Facts, pieces, plain_text

NAME = "md"
MEDIA_TYPE = "text/markdown; charset=utf-8"

_ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\|<["})
"""What would end a cell, or begin HTML, an image or a link."""


def stream(columns: Sequence[str], rows: Iterable[Sequence[Cell]], facts: Facts = NO_FACTS) -> Iterator[bytes]:
    """Yield the table in pieces of up to 100 lines."""
    yield from pieces(f"{line}\n" for line in table(columns, rows, numbers=range(1, len(columns))))


def table(titles: Sequence[str], rows: Iterable[Sequence[Cell]], numbers: Container[int] = ()) -> Iterator[str]:
    """Yield the lines of a table; numbers: places of the columns that are aligned right."""
    yield _row(titles)
    yield _row(["---:" if place in numbers else "---" for place in range(len(titles))])
    yield from map(_row, rows)


def escaped(cell: Cell) -> str:
    """Return a cell or a text in one line that cannot end a cell, or begin HTML, an image or a link."""
    return plain_text(cell).translate(_ESCAPED)


def _row(cells: Sequence[Cell]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"
