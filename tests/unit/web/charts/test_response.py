import json

from orchestrator.web.charts import response
from orchestrator.web.charts.throughput import spec
from tests.unit.web.charts.builders import POINTS


def test_json_is_the_specification() -> None:
    chart = spec(POINTS, "encrypt")
    assert json.loads(bytes(response.chart_response(chart, "json").body)) == chart


def test_svg_is_a_picture_with_the_headers_of_pages() -> None:
    answer = response.chart_response(spec(POINTS, "encrypt"), "svg")
    assert answer.media_type == "image/svg+xml"
    assert bytes(answer.body).startswith(b"<svg")
    assert answer.headers["x-content-type-options"] == "nosniff"
