"""AsciiDoc: a table; the first column is aligned left, the others right."""

from collections.abc import Iterable, Iterator, Sequence

from orchestrator.exporters import NO_FACTS, Cell, Facts, pieces, plain_text

NAME = "adoc"
MEDIA_TYPE = "text/asciidoc; charset=utf-8"

_ESCAPED = str.maketrans({"|": "{vbar}", "{": "&#123;", "+": "&#43;", "[": "&#91;"})
"""What would end a cell, or begin an attribute, text that is passed through as HTML, or a macro."""


def stream(columns: Sequence[str], rows: Iterable[Sequence[Cell]], facts: Facts = NO_FACTS) -> Iterator[bytes]:
    """Yield the table in pieces of up to 100 rows."""
    yield f'[cols="{",".join(["<", *[">"] * (len(columns) - 1)])}",options="header"]\n|===\n'.encode()
    yield _row(columns).encode()
    yield from pieces(map(_row, rows))
    yield b"|===\n"


def _row(cells: Sequence[Cell]) -> str:
    lines = "".join("| " + plain_text(cell).translate(_ESCAPED) + "\n" for cell in cells)
    return f"\n{lines}"
