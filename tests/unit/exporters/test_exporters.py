import csv
import io
import json
from collections.abc import Iterator

import pytest

from orchestrator.errors import InvalidRequest
from orchestrator.exporters import Cell, exporter, exporters

COLUMNS = ("name", "work_wall_ns", "disturbed", "note", "absent_because")
ROWS: list[tuple[Cell, ...]] = [
    ("a,b", 12, True, 'prints "x"\n', {}),
    ("ü", None, False, None, {"work_wall_ns": "not executed yet"}),
]


class TestRegistry:
    def test_every_module_is_a_format(self) -> None:
        assert {"csv", "jsonl"} <= set(exporters())

    def test_an_unknown_format_names_the_known_ones(self) -> None:
        with pytest.raises(InvalidRequest, match="csv, jsonl"):
            exporter("xlsx")


class TestCSV:
    def test_values_come_back_and_absent_ones_are_empty(self) -> None:
        text = b"".join(exporter("csv").stream(COLUMNS, ROWS)).decode()
        header, first, second = csv.reader(io.StringIO(text, newline=""))
        assert tuple(header) == COLUMNS
        assert first == ["a,b", "12", "true", 'prints "x"\n', ""]
        assert second == ["ü", "", "false", "", '{"work_wall_ns": "not executed yet"}']

    def test_no_rows_still_have_a_header(self) -> None:
        assert b"".join(exporter("csv").stream(COLUMNS, [])) == b"name,work_wall_ns,disturbed,note,absent_because\r\n"


class TestJSONLines:
    def test_values_come_back_and_absent_ones_are_null(self) -> None:
        lines = b"".join(exporter("jsonl").stream(COLUMNS, ROWS)).decode().splitlines()
        assert [json.loads(line) for line in lines] == [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]


@pytest.mark.parametrize("name", ["csv", "jsonl"])
def test_rows_are_taken_only_as_pieces_leave(name: str) -> None:
    taken = 0

    def endless() -> Iterator[tuple[Cell, ...]]:
        nonlocal taken
        while True:
            taken += 1
            yield ROWS[0]

    pieces = exporter(name).stream(COLUMNS, endless())
    assert len(next(pieces)) > 1000
    assert taken < 10_000
