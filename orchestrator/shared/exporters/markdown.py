"""Markdown: a table as in GitHub's specification; the first column is aligned left, the others right."""

from collections.abc import Iterable, Iterator, Sequence

from orchestrator.shared.exporters import NO_FACTS, Cell, Facts, pieces, plain_text

NAME = "md"
MEDIA_TYPE = "text/markdown; charset=utf-8"

_ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\|<["})
"""What would end a cell, or begin HTML, an image or a link."""


def stream(columns: Sequence[str], rows: Iterable[Sequence[Cell]], facts: Facts = NO_FACTS) -> Iterator[bytes]:
    """Yield the table in pieces of up to 100 rows."""
    yield f"{_row(columns)}|{'|'.join([':---', *['---:'] * (len(columns) - 1)])}|\n".encode()
    yield from pieces(map(_row, rows))


def escaped(text: str) -> str:
    """Return a text in one line that cannot end a cell, or begin HTML, an image or a link."""
    return plain_text(text).translate(_ESCAPED)


def _row(cells: Sequence[Cell]) -> str:
    return "| " + " | ".join(plain_text(cell).translate(_ESCAPED) for cell in cells) + " |\n"
