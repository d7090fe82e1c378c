"""CSV according to RFC 4180: a header, UTF-8, CRLF; an absent value is an empty field, never 0.

A spreadsheet would compute a text that begins like a formula. Such a text gets an apostrophe in front, which marks text
in spreadsheets (OWASP, CSV injection). Numbers stay numbers, also negative ones. Reasons are written once, as JSON.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence

from orchestrator.shared.exporters import NO_FACTS, Cell, Facts, SharedReasons
from orchestrator.shared.values.text import visible, visible_document

NAME = "csv"
MEDIA_TYPE = "text/csv; charset=utf-8"

_PIECE_CHARACTERS = 64 * 1024
_FORMULA_STARTS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""The last four are the full-width forms, which some spreadsheets treat alike."""


def stream(columns: Sequence[str], rows: Iterable[Sequence[Cell]], facts: Facts = NO_FACTS) -> Iterator[bytes]:
    """Yield the file in pieces of about 64 KiB."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(columns)
    reasons = SharedReasons()
    for row in rows:
        writer.writerow([_text(reasons.shared(cell) if isinstance(cell, dict) else cell) for cell in row])
        if buffer.tell() >= _PIECE_CHARACTERS:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()


def _text(cell: Cell) -> str | int | float | None:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, dict):
        return json.dumps(visible_document(cell), ensure_ascii=False) if cell else None
    if isinstance(cell, str):
        text = visible(cell)
        return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
    return cell
