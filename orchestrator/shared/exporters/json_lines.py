"""JSON lines: one object per row, with the columns as keys; an absent value is null. Reasons are written once."""

import json
from collections.abc import Iterable, Iterator, Sequence

from orchestrator.shared.exporters import NO_FACTS, Cell, Facts, SharedReasons, pieces
from orchestrator.shared.values.text import visible_document

NAME = "jsonl"
MEDIA_TYPE = "application/x-ndjson"


def stream(columns: Sequence[str], rows: Iterable[Sequence[Cell]], facts: Facts = NO_FACTS) -> Iterator[bytes]:
    """Yield the file in pieces of up to 100 rows."""
    reasons = SharedReasons()

    def line(row: Sequence[Cell]) -> str:
        cells = [reasons.shared(cell) if isinstance(cell, dict) else cell for cell in row]
        return json.dumps(visible_document(dict(zip(columns, cells, strict=True))), ensure_ascii=False) + "\n"

    return pieces(map(line, rows))
