"""Printed results of `ciphermark measure`: names, order, units and sentences."""

from dataclasses import replace

import pytest

from orchestrator.cli.adhoc.conclusions import conclude
from orchestrator.cli.adhoc.reports.document import Results
from orchestrator.cli.tables.programs import print_results
from tests.support.adhoc_series import plan, series

LONG = "a program with a name that is longer than a line of eighty columns of a small terminal has room for, and more"
FAST, SLOW = [1_000_000 + number for number in range(10)], [2_500_000 + number for number in range(10)]


def results(*names: str, **changes: int) -> Results:
    walls = [SLOW, FAST, SLOW][: len(names)]
    return conclude(replace(plan(*names, rounds=10), **changes), series(*walls), core=1, remarks=["a remark"])


@pytest.mark.parametrize("columns", ["80", "200"])
def test_names_are_never_cut(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)

    print_results(results(LONG, "fast"))

    lines = capsys.readouterr().out.splitlines()
    (line,) = (line for line in lines if line.lstrip(" 2").startswith(LONG))
    assert ("2.5 ms" in line) == (columns == "200")
    assert [len(line) <= int(columns) for line in lines].count(False) == (columns == "80")


def test_order_and_unit_can_be_chosen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "100")

    print_results(results("slow", "fast"), "command", "microsecond")

    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[1][:4] == ["2", "slow", "2500", "µs"]
    assert rows[2][:4] == ["1", "fast", "1000", "µs"]
    assert "CPU" in rows[0]
