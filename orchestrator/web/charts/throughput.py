"""Chart of median throughput by chunk length and algorithm, one panel per provider, with 95 % intervals."""

from collections.abc import Sequence

import altair as alt
from fastapi import Response

from orchestrator.web.charts.points import MEASURE_TITLES, Point, PointsDep, Throughput, parse_throughput
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import SIZE_LABEL, Spec, finish, log_ticks
from orchestrator.web.routing import Choice

PANEL_WIDTH = 250
PANEL_HEIGHT = 300
COLUMNS = 3

router = chart_router()


@router.get("/runs/{run_id}/charts/throughput.{form}")
def throughput_chart(points: PointsDep, form: ChartFormat, measure: Choice = "encrypt") -> Response:
    """Draw median throughput by chunk length and algorithm, one panel for each provider."""
    return chart_response(lambda: spec(points, parse_throughput(measure)), form)


def spec(points: Sequence[Point], measure: Throughput) -> Spec:
    """Return the chart of these points."""
    lengths = sorted({point.length_bytes for point in points})
    providers = sorted({point.provider for point in points})
    chosen = alt.selection_point(fields=["algorithm"], bind="legend", name="chosen")
    base = alt.Chart().encode(
        x=alt.X("length_bytes:Q")
        .scale(type="log", base=2, nice=False, padding=18)
        .axis(values=lengths, labelExpr=SIZE_LABEL, labelAngle=0, labelOverlap=True, grid=False)
        .title("Chunk length"),
        color=alt.Color("algorithm:N").scale(scheme="tableau20").title("Algorithm (click to single out)"),
        opacity=alt.when(chosen).then(alt.value(1.0)).otherwise(alt.value(0.12)),
    )
    ticks = log_ticks([value for point in points for value in (point.median, point.low, point.high) if value])
    axis = alt.Axis(format="~s", values=ticks, domain=False, ticks=False)
    scale = alt.Scale(type="log", domain=[ticks[0], ticks[-1]]) if ticks else alt.Scale(type="log")
    median = alt.Y("median:Q").scale(scale).axis(axis).title(MEASURE_TITLES[measure])
    layers = alt.layer(
        base.mark_rule(strokeWidth=3, opacity=0.5).encode(y=alt.Y("low:Q"), y2="high:Q").transform_filter("datum.low"),
        base.mark_line(strokeWidth=1.5).encode(y=median),
        base.mark_point(size=38, filled=True).encode(y=median, tooltip=_tooltip()),
        data=alt.InlineData(values=[point.as_row() for point in points]),
    ).add_params(chosen)
    chart = layers.properties(width=PANEL_WIDTH, height=PANEL_HEIGHT).facet(
        facet=alt.Facet("provider:N").title(None), columns=COLUMNS
    )
    return finish(chart, panels=len(providers))


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("provider:N", title="provider"),
        alt.Tooltip("algorithm:N", title="algorithm"),
        alt.Tooltip("length_bytes:Q", title="bytes", format=","),
        alt.Tooltip("median:Q", title="median MiB/s", format=",.4~g"),
        alt.Tooltip("low:Q", title="95 % from", format=",.4~g"),
        alt.Tooltip("high:Q", title="95 % to", format=",.4~g"),
        alt.Tooltip("executions:Q", title="executions"),
    ]
