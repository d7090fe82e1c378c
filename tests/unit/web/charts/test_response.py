"""Responses of charts."""

from orchestrator.web.charts import throughput
from orchestrator.web.charts.response import chart_response, chart_table
from tests.unit.web.charts.builders import POINTS


def test_csv_of_a_chart_of_several_parts_has_the_rows_of_all_parts() -> None:
    parts = [{"data": {"values": [{"a": 1, "=b": "=c"}]}}, {"layer": [{"data": {"values": [{"d": None}]}}]}]
    text = bytes(chart_response({"vconcat": parts}, "csv").body).decode()
    assert text == "a,=b,d\r\n1,'=c,\r\n,,\r\n"


def test_table_of_a_chart_has_the_labels_of_its_tooltips() -> None:
    found = chart_table(throughput.spec(POINTS, "encrypt"))
    assert found.labels[:5] == ["provider", "implementation", "operation", "bytes", "median MiB/s"]
    assert found.rows[0][:5] == ["botan", "aes-192-cbc botan", "throughput", 131072, 640.0]
    assert (found.title, len(found.rows)) == ("", 4)
