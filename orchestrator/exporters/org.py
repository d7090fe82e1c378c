"""Org mode: a table; the first column is aligned left, the others right."""

from collections.abc import Iterable, Iterator, Sequence

from orchestrator.exporters import NO_FACTS, Cell, Facts, pieces, plain_text

NAME = "org"
MEDIA_TYPE = "text/org; charset=utf-8"


def stream(columns: Sequence[str], rows: Iterable[Sequence[Cell]], facts: Facts = NO_FACTS) -> Iterator[bytes]:
    """Yield the table in pieces of up to 100 rows."""
    align = ["<l>", *["<r>"] * (len(columns) - 1)]
    yield f"{_row(columns)}{_row(align)}|{'+'.join(['---'] * len(columns))}|\n".encode()
    yield from pieces(map(_row, rows))


def _row(cells: Sequence[Cell]) -> str:
    return "| " + " | ".join(plain_text(cell).replace("|", "\\vert{}") for cell in cells) + " |\n"
