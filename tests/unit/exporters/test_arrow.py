"""Parquet and Arrow files, read again by pyarrow and pandas."""

import importlib.abc
import io
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import pyarrow
import pytest
from pyarrow import ipc, parquet

from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.exporters import Cell, ColumnFacts, exporter
from orchestrator.shared.exporters.arrow import ROWS_PER_BATCH

COLUMNS = ("name", "work_wall_ns", "ratio", "disturbed", "started_at", "absent_because")
FACTS = {
    "work_wall_ns": ColumnFacts("integer", "ns", "Time of the work.", "runner"),
    "ratio": ColumnFacts("real", "1"),
    "disturbed": ColumnFacts("flag"),
    "started_at": ColumnFacts("time"),
    "absent_because": ColumnFacts("reasons"),
}
ROWS: list[tuple[Cell, ...]] = [
    ("a", 2**62, 1, True, "2026-11-23T12:00:00.25+00:00", {}),
    ("ü\x1b[0m", None, None, False, None, {"ratio": "no counter"}),
]


def read(name: str, data: bytes) -> pyarrow.Table:
    if name == "parquet":
        return parquet.read_table(io.BytesIO(data))
    return ipc.open_file(io.BytesIO(data)).read_all()


@pytest.mark.parametrize("name", ["arrow", "parquet"])
class TestFiles:
    def test_values_come_back_with_their_types(self, name: str) -> None:
        table = read(name, b"".join(exporter(name).stream(COLUMNS, ROWS, FACTS)))
        assert table.to_pylist() == [
            {"name": "a", "work_wall_ns": 2**62, "ratio": 1.0, "disturbed": True,
             "started_at": datetime(2026, 11, 23, 12, 0, 0, 250_000, UTC), "absent_because": None},
            {"name": "ü␛[0m", "work_wall_ns": None, "ratio": None, "disturbed": False, "started_at": None,
             "absent_because": '{"ratio": "no counter"}'},
        ]  # fmt: skip

    def test_units_and_descriptions_are_metadata(self, name: str) -> None:
        schema = read(name, b"".join(exporter(name).stream(COLUMNS, ROWS, FACTS))).schema
        found = schema.field("work_wall_ns").metadata
        assert (found[b"unit"], found[b"description"]) == (b"ns", b"Time of the work.")
        assert schema.metadata[b"creator"] == b"ciphermark"

    def test_equal_reasons_are_stored_once(self, name: str) -> None:
        reason = "the kernel grants no hardware counters here " * 20
        count = 2 * ROWS_PER_BATCH + 3
        rows = (("a", 1, 1.0, False, None, {"ratio": reason}) for _ in range(count))
        data = b"".join(exporter(name).stream(COLUMNS, rows, FACTS))
        table = read(name, data)
        assert table.num_rows == count
        assert set(table.column("absent_because").to_pylist()) == {f'{{"ratio": "{reason}"}}'}
        assert len(data) < 50 * count
        assert data.count(reason.encode()) <= (1 if name == "arrow" else 3)

    def test_new_texts_of_later_batches_are_kept(self, name: str) -> None:
        rows = [(f"name {number // 3000}", number, 0.5, False, None, {}) for number in range(12_000)]
        table = read(name, b"".join(exporter(name).stream(COLUMNS, rows, FACTS)))
        assert table.column("name").to_pylist() == [row[0] for row in rows]

    def test_no_rows_still_have_a_schema(self, name: str) -> None:
        table = read(name, b"".join(exporter(name).stream(COLUMNS, [], FACTS)))
        assert (tuple(table.column_names), table.num_rows) == (COLUMNS, 0)

    def test_column_without_facts_is_text(self, name: str) -> None:
        table = read(name, b"".join(exporter(name).stream(("a", "b"), [(1, None), (True, {"x": "y"})])))
        assert table.to_pylist() == [{"a": "1", "b": None}, {"a": "true", "b": '{"x": "y"}'}]

    def test_without_pyarrow_the_format_is_refused_with_what_to_install(
        self, name: str, without_pyarrow: Callable[[], None]
    ) -> None:
        without_pyarrow()
        with pytest.raises(InvalidRequest, match="needs the package pyarrow") as caught:
            exporter(name).stream(COLUMNS, ROWS, FACTS)
        assert "install" in (caught.value.remedy or "")
        assert "pyarrow<27" in (caught.value.remedy or "")


class _Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        del path, target
        if fullname.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None


@pytest.fixture
def without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function after which pyarrow cannot be imported, as on a device without its wheel."""

    def _remove() -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(sys, "meta_path", [_Absent(), *sys.meta_path])

    return _remove
