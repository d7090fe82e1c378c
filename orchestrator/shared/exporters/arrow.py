"""Arrow: the IPC file format (Feather), with units and descriptions in the metadata of each column.

Equal texts are stored once for all rows (dictionary encoding): names, labels, and the reasons of absent values.
"""

import importlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from importlib.util import find_spec
from itertools import islice
from typing import Any

from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.exporters import NO_FACTS, TEXT, Cell, ColumnFacts, Facts
from orchestrator.shared.extras import install_command
from orchestrator.shared.values.text import visible, visible_document

NAME = "arrow"
MEDIA_TYPE = "application/vnd.apache.arrow.file"

ROWS_PER_BATCH = 5000


def stream(columns: Sequence[str], rows: Iterable[Sequence[Cell]], facts: Facts = NO_FACTS) -> Iterator[bytes]:
    """Yield the file in pieces of up to 5 000 rows; raises InvalidRequest if pyarrow is not installed."""
    arrow = pyarrow(NAME)
    # A dictionary that grew is written as its additions: a file cannot replace one.
    options = arrow.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    table = Table(arrow, columns, facts)
    return pieces(table, rows, lambda sink: arrow.ipc.new_file(sink, table.schema, options=options))


def pyarrow(form: str) -> Any:
    """Return the package pyarrow; raises InvalidRequest where it is not installed."""
    try:
        for module in ("pyarrow.ipc", "pyarrow.parquet"):
            importlib.import_module(module)
        return importlib.import_module("pyarrow")
    except ImportError:
        raise InvalidRequest(
            f"The format {form} needs the package pyarrow, which is not installed where the service runs.",
            remedy=f"Install it there with: {install_command('arrow')}; or use csv or jsonl.",
            field="format",
        ) from None


def available() -> bool:
    """Return whether pyarrow is installed."""
    return find_spec("pyarrow") is not None


class Table:
    """Schema of a table, and the batches of its rows."""

    def __init__(self, arrow: Any, columns: Sequence[str], facts: Facts) -> None:
        """Prepare the schema; a column without facts is text."""
        self.arrow = arrow
        self._facts = [facts.get(name, TEXT) for name in columns]
        self._texts = [dict[str, int]() for _ in columns]
        fields = [arrow.field(name, self._type(one), metadata=_metadata(one))
                  for name, one in zip(columns, self._facts, strict=True)]  # fmt: skip
        self.schema = arrow.schema(fields, metadata={"creator": "ciphermark"})

    def names_of_numbers(self) -> list[str]:
        """Return the columns of numbers."""
        return [
            name for name, one in zip(self.schema.names, self._facts, strict=True) if one.kind in ("integer", "real")
        ]

    def batches(self, rows: Iterable[Sequence[Cell]]) -> Iterator[Any]:
        """Yield the rows in record batches."""
        left = iter(rows)
        while part := list(islice(left, ROWS_PER_BATCH)):
            columns = zip(*part, strict=True)
            arrays = [self._array(place, cells) for place, cells in enumerate(columns)]
            yield self.arrow.record_batch(arrays, schema=self.schema)

    def _type(self, facts: ColumnFacts) -> Any:
        return {
            "integer": self.arrow.int64(),
            "real": self.arrow.float64(),
            "flag": self.arrow.bool_(),
            "time": self.arrow.timestamp("us", tz="UTC"),
        }.get(facts.kind) or self.arrow.dictionary(self.arrow.int32(), self.arrow.string())

    def _array(self, place: int, cells: Sequence[Cell]) -> Any:
        kind = self._facts[place].kind
        if kind == "time":
            cells = [datetime.fromisoformat(cell) if isinstance(cell, str) else None for cell in cells]  # type: ignore[misc]
        if kind in ("integer", "real", "flag", "time"):
            return self.arrow.array(cells, type=self.schema.field(place).type)
        known = self._texts[place]
        texts = [_text(cell) for cell in cells]
        places = [None if text is None else known.setdefault(text, len(known)) for text in texts]
        values = self.arrow.array(list(known), type=self.arrow.string())
        return self.arrow.DictionaryArray.from_arrays(self.arrow.array(places, type=self.arrow.int32()), values)


def pieces(table: Table, rows: Iterable[Sequence[Cell]], opened: Any) -> Iterator[bytes]:
    """Yield what a writer of record batches writes, batch by batch; opened: returns the writer for a sink."""
    sink = _Sink()
    with opened(table.arrow.PythonFile(sink, mode="w")) as writer:
        for batch in table.batches(rows):
            writer.write_batch(batch)
            yield sink.take()
    yield sink.take()


class _Sink(io.RawIOBase):
    """File that keeps what was written since it was last taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._parts.append(piece)
        self._size += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._size

    def take(self) -> bytes:
        found, self._parts = b"".join(self._parts), []
        return found


def _metadata(facts: ColumnFacts) -> dict[str, str]:
    found = {"unit": facts.unit, "description": facts.help, "source": facts.source}
    return {name: text for name, text in found.items() if text}


def _text(cell: Cell) -> str | None:
    if cell is None or cell == {}:
        return None
    if isinstance(cell, dict):
        return json.dumps(visible_document(cell), ensure_ascii=False)
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return visible(str(cell))
