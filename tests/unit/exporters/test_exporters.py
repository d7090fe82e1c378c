import csv
import io
import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.exporters import Cell, ColumnFacts, CompleteReasons, SharedReasons, exporter, exporters
from orchestrator.shared.exporters.arrow import ROWS_PER_BATCH

BINARY = {"arrow", "parquet"}
COLUMNS = ("name", "work_wall_ns", "disturbed", "note", "absent_because")
ROWS: list[tuple[Cell, ...]] = [
    ("a,b", 12, True, 'prints "x"\n', {}),
    ("ü", None, False, None, {"work_wall_ns": "not executed yet"}),
]


REASONS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["none", "denied"]))


class TestSharedReasons:
    @given(st.lists(REASONS))
    def test_every_row_has_its_reasons_again(self, rows: list[dict[str, str]]) -> None:
        writer, reader = SharedReasons(), CompleteReasons()
        written = [writer.shared(one) for one in rows]
        assert [reader.complete(one) for one in written] == rows
        complete = [frozenset(one.items()) for one in written if isinstance(one, dict) and one]
        assert len(complete) == len(set(complete))

    def test_number_of_remembered_reasons_is_limited(self) -> None:
        writer, reader = SharedReasons(), CompleteReasons()
        rows = [{"a": str(n % 10_500)} for n in range(21_000)]
        assert [reader.complete(writer.shared(one)) for one in rows] == rows


class TestRegistry:
    def test_an_unknown_format_names_the_known_ones(self) -> None:
        with pytest.raises(InvalidRequest, match="arrow, csv, jsonl, md, parquet, tex"):
            exporter("xlsx")


class TestCSV:
    def test_values_come_back_and_absent_ones_are_empty(self) -> None:
        text = b"".join(exporter("csv").stream(COLUMNS, ROWS)).decode()
        header, first, second = csv.reader(io.StringIO(text, newline=""))
        assert tuple(header) == COLUMNS
        assert first == ["a,b", "12", "true", 'prints "x"\n', ""]
        assert second == ["ü", "", "false", "", '{"id": "r1", "work_wall_ns": "not executed yet"}']

    @pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\n", "\uff1d"])
    def test_text_that_begins_like_a_formula_is_marked_as_text(self, start: str) -> None:
        rows = [(f"{start}1+cmd|' /C calc'!A0", -5, -0.5, None, {"=1": "=2"})]
        text = b"".join(exporter("csv").stream(COLUMNS, rows)).decode()
        _, row = csv.reader(io.StringIO(text, newline=""))
        assert row == [f"'{start}1+cmd|' /C calc'!A0", "-5", "-0.5", "", '{"id": "r1", "=1": "=2"}']


class TestJSONLines:
    def test_values_come_back_and_absent_ones_are_null(self) -> None:
        lines = b"".join(exporter("jsonl").stream(COLUMNS, ROWS)).decode().splitlines()
        second = (*ROWS[1][:-1], {"id": "r1", "work_wall_ns": "not executed yet"})
        assert [json.loads(line) for line in lines] == [
            dict(zip(COLUMNS, row, strict=True)) for row in (ROWS[0], second)
        ]


def text_of(name: str, rows: list[tuple[Cell, ...]] = ROWS) -> str:
    return b"".join(exporter(name).stream(COLUMNS, rows)).decode()


class TestLaTeX:
    FACTS = {
        "work_wall_ns": ColumnFacts("integer", "ns", "Time of the work."),
        "disturbed": ColumnFacts("flag"),
        "ratio": ColumnFacts("real", "1"),
        "energy": ColumnFacts("real", "J/byte"),
    }

    def table(self, columns: tuple[str, ...], rows: list[tuple[Cell, ...]]) -> list[str]:
        return b"".join(exporter("tex").stream(columns, rows, self.FACTS)).decode().splitlines()

    def test_numbers_have_columns_of_siunitx_and_units(self) -> None:
        assert self.table(("name", "work_wall_ns", "ratio"), [("a", 12, 1.5e-7), ("b", None, 2.0)]) == [
            r"% \usepackage{booktabs,longtable,siunitx}", r"\begin{longtable}{l S S}", r"\toprule",
            r"{name} & {work\_wall\_ns} & {ratio} \\", r" & {\unit{\nano\second}} &  \\", r"\midrule", r"\endhead",
            r"a & 12 & 1.5e-07 \\", r"b &  & 2.0 \\", r"\bottomrule", r"\end{longtable}",
        ]  # fmt: skip

    def test_no_text_is_a_command(self) -> None:
        text = "\n".join(self.table(("name", "disturbed"), [("\\input{/etc/passwd} & 50% $x_1$ # ~^\x1b", True)]))
        assert r"\textbackslash{}input\{/etc/passwd\} \& 50\% \$x\_1\$ \# \textasciitilde{}\textasciicircum{}" in text
        assert "true" in text

    def test_text_in_a_column_of_numbers_is_protected_and_unknown_units_are_text(self) -> None:
        lines = self.table(("energy",), [("unknown",)])
        assert "{unknown} \\\\" in lines
        assert "{J/byte} \\\\" in lines


class TestTextTables:
    SPECIAL: list[tuple[Cell, ...]] = [("a|b\\c", 1.5, False, "two\nlines", {})]

    def test_markdown_has_aligned_columns_and_empty_cells(self) -> None:
        assert text_of("md").splitlines() == [
            "| name | work_wall_ns | disturbed | note | absent_because |",
            "| --- | ---: | ---: | ---: | ---: |",
            '| a,b | 12 | true | prints "x" |  |',
            '| ü |  | false |  | {"work_wall_ns": "not executed yet"} |',
        ]
        assert text_of("md", self.SPECIAL).splitlines()[-1] == r"| a\|b\\c | 1.5 | false | two lines |  |"

    def test_markup_of_other_programs_is_escaped(self) -> None:
        written = r"\<script> !\[x](//e) \\ \| ␛\[0m"
        assert written in text_of("md", [("<script> ![x](//e) \\ | \x1b[0m", None, None, None, {})])

    @pytest.mark.parametrize("name", sorted(set(exporters()) - BINARY))
    def test_no_format_contains_control_characters(self, name: str) -> None:
        text = text_of(name, [("\x00\x1b\u202e\r\n\x9b", None, None, "\x85", {"\x07": "\x7f"})])
        assert not set("\x00\x1b\u202e\x9b\x85\x07\x7f") & set(text)
        assert "\\u001b" not in text


@pytest.mark.parametrize("name", sorted(exporters()))
def test_rows_are_taken_only_as_pieces_leave(name: str) -> None:
    taken = 0

    def endless() -> Iterator[tuple[Cell, ...]]:
        nonlocal taken
        while True:
            taken += 1
            yield ROWS[0]

    pieces = exporter(name).stream(COLUMNS, endless())
    assert next(pieces)
    assert taken <= ROWS_PER_BATCH + 1
