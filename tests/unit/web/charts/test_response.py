"""Responses of charts, also of those that are built at the same time."""

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from orchestrator.web.charts import throughput
from orchestrator.web.charts.points import Point
from orchestrator.web.charts.response import chart_response
from tests.unit.web.charts.builders import POINTS

CHARTS, ROUNDS = 8, 8


@pytest.fixture
def _frequent_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_json_is_the_specification() -> None:
    chart = throughput.spec(POINTS, "encrypt")
    assert json.loads(bytes(chart_response(lambda: chart, "json").body)) == chart


def test_svg_is_a_picture_with_the_headers_of_pages() -> None:
    answer = chart_response(lambda: throughput.spec(POINTS, "encrypt"), "svg")
    assert answer.media_type == "image/svg+xml"
    assert bytes(answer.body).startswith(b"<svg")
    assert answer.headers["x-content-type-options"] == "nosniff"


def points(number: int) -> list[Point]:
    """Return points whose chart differs from those of other numbers in the scales of both axes."""
    low, high = 9.0 * number, 11.0 * number
    return [Point("own", f"cipher-{number}", length, 10.0 * number, low, high, 5) for length in (64, 1024 * number)]


def chart(number: int) -> bytes:
    """Return the response of a chart."""
    return bytes(chart_response(lambda: throughput.spec(points(number), "encrypt"), "json").body)


@pytest.mark.usefixtures("_frequent_switches")
def test_charts_built_at_the_same_time_keep_their_own_axes() -> None:
    """Regression: 50 of 240 had an axis or a view of another chart; some could not be drawn (503)."""
    expected = [chart(number) for number in range(1, CHARTS + 1)]
    with ThreadPoolExecutor(CHARTS) as pool:
        built = list(pool.map(chart, list(range(1, CHARTS + 1)) * ROUNDS))
    assert sum(one != other for one, other in zip(built, expected * ROUNDS, strict=True)) == 0
