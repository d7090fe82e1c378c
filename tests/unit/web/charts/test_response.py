"""Responses of charts."""

import csv
import io

import pytest

from orchestrator.web.charts import throughput
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_table
from tests.support.seldom import seldom
from tests.unit.web.charts.builders import POINTS


@pytest.mark.parametrize(
    "written", [("png", "image/png", b"\x89PNG"), *seldom(("pdf", "application/pdf", b"%PDF-"))], ids=lambda one: one[0]
)
def test_other_pictures_are_drawn(written: tuple[ChartFormat, str, bytes]) -> None:
    form, media_type, start = written
    answer = chart_response(throughput.spec(POINTS, "encrypt"), form)
    assert answer.media_type == media_type
    assert bytes(answer.body).startswith(start)


def test_csv_has_the_rows_of_the_chart() -> None:
    chart = throughput.spec(POINTS, "encrypt")
    answer = chart_response(chart, "csv")
    found = list(csv.DictReader(io.StringIO(bytes(answer.body).decode())))
    assert len(found) == len(chart["data"]["values"])
    for row, values in zip(found, chart["data"]["values"], strict=True):
        assert row == {name: "" if value is None else str(value) for name, value in values.items()}


def test_csv_of_a_chart_of_several_parts_has_the_rows_of_all_parts() -> None:
    parts = [{"data": {"values": [{"a": 1, "=b": "=c"}]}}, {"layer": [{"data": {"values": [{"d": None}]}}]}]
    text = bytes(chart_response({"vconcat": parts}, "csv").body).decode()
    assert text == "a,=b,d\r\n1,'=c,\r\n,,\r\n"


def test_table_of_a_chart_has_the_labels_of_its_tooltips() -> None:
    found = chart_table(throughput.spec(POINTS, "encrypt"))
    assert found.labels == ["provider", "algorithm", "bytes", "median MiB/s", "95 % from", "95 % to", "executions"]
    assert found.rows[0] == ["botan", "aes-192-cbc", 131072, 640.0, 640 * 0.98, 640 * 1.03, 8]
    assert (found.title, len(found.rows)) == ("", 4)
