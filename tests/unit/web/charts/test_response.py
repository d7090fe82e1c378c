"""Responses of charts."""

import json

from orchestrator.web.charts import throughput
from orchestrator.web.charts.response import chart_response
from tests.unit.web.charts.builders import POINTS


def test_json_is_the_specification() -> None:
    chart = throughput.spec(POINTS, "encrypt")
    assert json.loads(bytes(chart_response(chart, "json").body)) == chart


def test_svg_is_a_picture_with_the_headers_of_pages() -> None:
    answer = chart_response(throughput.spec(POINTS, "encrypt"), "svg")
    assert answer.media_type == "image/svg+xml"
    assert bytes(answer.body).startswith(b"<svg")
    assert answer.headers["x-content-type-options"] == "nosniff"
