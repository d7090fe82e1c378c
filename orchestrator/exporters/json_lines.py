"""JSON lines: one object per row, with the columns as keys; an absent value is null."""

import json
from collections.abc import Iterable, Iterator, Sequence

from orchestrator.exporters import NO_FACTS, Cell, Facts
from orchestrator.values.text import visible_document

NAME = "jsonl"
MEDIA_TYPE = "application/x-ndjson"

_ROWS_PER_PIECE = 100


def stream(columns: Sequence[str], rows: Iterable[Sequence[Cell]], facts: Facts = NO_FACTS) -> Iterator[bytes]:
    """Yield the file in pieces of up to 100 rows."""
    lines: list[str] = []
    for row in rows:
        lines.append(json.dumps(visible_document(dict(zip(columns, row, strict=True))), ensure_ascii=False) + "\n")
        if len(lines) == _ROWS_PER_PIECE:
            yield "".join(lines).encode()
            lines.clear()
    yield "".join(lines).encode()
