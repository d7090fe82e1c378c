"""Chart of each provider relative to the fastest one of the same algorithm and length.

It shows differences of a few percent, which are invisible on the logarithmic axis of the throughput chart.
"""

from collections.abc import Sequence
from typing import Any

import altair as alt
from fastapi import Response

from orchestrator.units import format_size
from orchestrator.web.charts.points import Point, PointsDep
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import Spec, finish, provider_scale

PANEL_WIDTH = 250
ROW_HEIGHT = 19
COLUMNS = 3

router = chart_router()


@router.get("/runs/{run_id}/charts/relative.{form}")
def relative_chart(points: PointsDep, form: ChartFormat) -> Response:
    """Draw each provider relative to the fastest one of the same algorithm and length."""
    return chart_response(lambda: spec(points), form)


def spec(points: Sequence[Point]) -> Spec:
    """Return the chart of these points."""
    rows = _relative(points)
    lengths = [format_size(length) for length in sorted({point.length_bytes for point in points})]
    providers = sorted({point.provider for point in points})
    base = alt.Chart().encode(
        y=alt.Y("algorithm:N").title(None).axis(grid=True, labelLimit=160),
        color=alt.Color("provider:N").scale(provider_scale(providers)).title("Provider"),
    )
    x = alt.X("ratio:Q").scale(domainMin=0).axis(format="%").title("of the fastest provider's median")
    layers = alt.layer(
        base.mark_rule(strokeWidth=5, opacity=0.35).encode(x=alt.X("low:Q"), x2="high:Q").transform_filter("datum.low"),
        base.mark_point(size=60, filled=True, opacity=0.95).encode(x=x, tooltip=_tooltip()),
        data=alt.InlineData(values=rows),
    )
    chart = layers.properties(width=PANEL_WIDTH, height=alt.Step(ROW_HEIGHT)).facet(
        facet=alt.Facet("length:N", sort=lengths).title(None), columns=COLUMNS
    )
    return finish(chart, panels=len(lengths))


def _relative(points: Sequence[Point]) -> list[dict[str, Any]]:
    fastest: dict[tuple[str, int], float] = {}
    for point in points:
        key = (point.algorithm, point.length_bytes)
        fastest[key] = max(fastest.get(key, 0.0), point.median)
    rows = []
    for point in points:
        best = fastest[point.algorithm, point.length_bytes]
        rows.append(
            {
                "provider": point.provider,
                "algorithm": point.algorithm,
                "length": format_size(point.length_bytes),
                "ratio": point.median / best,
                "low": None if point.low is None else point.low / best,
                "high": None if point.high is None else point.high / best,
                "median": point.median,
            }
        )
    return rows


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("provider:N", title="provider"),
        alt.Tooltip("algorithm:N", title="algorithm"),
        alt.Tooltip("ratio:Q", title="of the fastest", format=".1%"),
        alt.Tooltip("low:Q", title="95 % from", format=".1%"),
        alt.Tooltip("high:Q", title="95 % to", format=".1%"),
        alt.Tooltip("median:Q", title="median MiB/s", format=",.4~g"),
    ]
