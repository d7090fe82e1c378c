from dataclasses import replace

import pytest

from orchestrator.cli.adhoc.conclusions import conclude
from orchestrator.cli.adhoc.reports.document import Results
from orchestrator.cli.adhoc.reports.files import file_bytes
from orchestrator.cli.adhoc.reports.markup import given_order, markup_table, ranked_order
from tests.support.adhoc_series import plan, series

FAST, SLOW = [1_000_000 + number for number in range(10)], [2_500_000 + number for number in range(10)]


def results(**changes: int) -> Results:
    return conclude(replace(plan("slow", "fast", rounds=10), **changes), series(SLOW, FAST), core=1, remarks=[])


class TestOrder:
    def test_table_is_ranked_and_files_are_as_given(self) -> None:
        assert ranked_order(results(), "auto") == [1, 0]
        assert given_order(results(), "auto") == [0, 1]

    @pytest.mark.parametrize(("sort", "order"), [("command", [0, 1]), ("mean-time", [1, 0]), ("median-time", [1, 0])])
    def test_other_orders_are_the_same_everywhere(self, sort: str, order: list[int]) -> None:
        assert ranked_order(results(), sort) == given_order(results(), sort) == order  # type: ignore[arg-type]


class TestMarkup:
    def test_columns_have_units_and_cells_intervals(self) -> None:
        columns, rows = markup_table(results(), "auto", None)

        assert columns[1:3] == ["Median [ms]", "95 % interval [ms]"]
        assert rows[0][:3] == ["slow", "2.500", "2.500 to 2.500"]
        assert rows[1][-1] == "1"
        assert rows[0][-1].startswith("2.5 (2.5 to ")

    def test_times_are_relative_to_the_reference(self) -> None:
        _, rows = markup_table(results(reference=0), "command", None)

        assert [row[-1][:3] for row in rows] == ["1", "0.4"]


class TestFiles:
    def test_start_of_the_shell_is_not_in_hyperfines_formats(self) -> None:
        with_shell = conclude(
            replace(plan("slow", "start of sh", rounds=10), shell=1), series(SLOW, FAST), core=1, remarks=[]
        )

        assert b"start of sh" not in file_bytes(with_shell, "json", "auto", None)
        assert b"start of sh" in file_bytes(with_shell, "md", "auto", None)
        assert with_shell.standings == ()
        assert "40% of its time" in with_shell.remarks[0]
