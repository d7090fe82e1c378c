import re
from dataclasses import replace

from orchestrator.shared.units import KIB
from orchestrator.web.charts import relative
from orchestrator.web.charts.panels import ChartMark
from orchestrator.web.charts.response import chart_table
from tests.support.drawing import svg
from tests.unit.web.charts.builders import POINTS, point, ratio, rows


class TestRelative:
    def test_values_are_the_ratios_of_the_points_and_not_of_their_medians(self) -> None:
        found = {(row["provider"], row["panel"]): row for row in rows(relative.spec(POINTS))}
        assert found["cryptopp", "128 KiB"]["value"] == found["cryptopp", "1 MiB"]["value"] == 1
        botan = found["botan", "128 KiB"]
        assert (botan["value"], botan["low"], botan["high"]) == (0.52, 0.52 * 0.99, 0.52 * 1.01)

    def test_title_has_method_and_reasons_of_points_that_are_left_out(self) -> None:
        chart = relative.spec([*POINTS, point("own", "aes-192-cbc", 128 * KIB, 900.0, of_fastest=None)])
        assert chart["title"] == ["paired by block, 95 %", "1 not compared: not compared"]
        assert {row["provider"] for row in rows(chart)} == {"botan", "cryptopp"}
        assert chart_table(chart).title == "paired by block, 95 %; 1 not compared: not compared"


class TestTies:
    def test_ties_are_hollow_and_named_in_the_table(self) -> None:
        tied = relative.spec([POINTS[2], _tie()])
        filled, hollow = (part for part in tied["spec"]["layer"] if part["mark"]["type"] == "point")
        assert (filled["mark"]["filled"], hollow["mark"]["filled"]) == (True, False)
        assert "=== 'tie'" in hollow["transform"][0]["filter"]
        assert "hollow: tie or undecided" in tied["title"]
        table = chart_table(tied)
        assert "tie" in table.rows[1]
        assert "result" in table.labels

    def test_drawing_has_a_fill_for_the_reference_and_an_outline_for_the_tie(self) -> None:
        drawn = svg(relative.spec([POINTS[2], _tie()]))
        marks = dict(re.findall(r'<path aria-label="[^"]*result: (\w+);([^>]*)>', drawn))
        assert set(marks) == {"reference", "tie"}
        assert ' fill="' in marks["reference"]
        assert ' fill="' not in marks["tie"]
        assert ' stroke="#' in marks["tie"]
        assert "Symbol legend titled 'Provider'" in drawn


def _tie() -> ChartMark:
    found = point("own", "aes-192-cbc", 128 * KIB, 1275.0)
    return replace(found, ratio=ratio(0.998, verdict="tie"))
