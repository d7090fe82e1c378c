"""Chart of median throughput by chunk length and algorithm, one panel per provider, with 95 % intervals."""

from collections.abc import Sequence

from fastapi import Response

from orchestrator.web.charts.points import MEASURE_TITLES, Point, PointsDep, Throughput, parse_throughput
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import (
    finish,
    lengths_axis,
    log_scale,
    log_ticks,
    series_color,
    series_shape,
)
from orchestrator.web.charts.vega_lite import (
    SINGLED_OUT,
    Spec,
    end,
    facets,
    layers,
    legend_click,
    mark,
    number_tip,
    quantity,
    rows,
    text_tip,
    where,
)
from orchestrator.web.routing import Choice

PANEL_WIDTH = 250
PANEL_HEIGHT = 300
COLUMNS = 3

router = chart_router()


@router.get("/runs/{run_id}/charts/throughput.{form}")
def throughput_chart(points: PointsDep, form: ChartFormat, measure: Choice = "encrypt") -> Response:
    """Draw median throughput by chunk length and algorithm, one panel for each provider."""
    return chart_response(spec(points, parse_throughput(measure)), form)


def spec(points: Sequence[Point], measure: Throughput) -> Spec:
    """Return the chart of these points."""
    lengths = sorted({point.length_bytes for point in points})
    providers = sorted({point.provider for point in points})
    ticks = log_ticks([value for point in points for value in (point.median, point.low, point.high) if value])
    names = sorted({point.algorithm for point in points})
    title = "Algorithm (click to single out)"
    base = {
        "x": lengths_axis("length_bytes", lengths, "Chunk length"),
        **series_color("algorithm", names, title=title),
        "opacity": SINGLED_OUT,
    }
    shape = series_shape("algorithm", names, title=title)
    axis = {"format": "~s", "values": ticks, "domain": False, "ticks": False}
    median = {"y": quantity("median", scale=log_scale(ticks), axis=axis, title=MEASURE_TITLES[measure])}
    interval = where(
        "datum.low", mark("rule", base | {"y": quantity("low"), "y2": end("high")}, strokeWidth=3, opacity=0.5)
    )
    panel = layers(
        interval,
        mark("line", base | median, strokeWidth=1.5),
        mark("point", base | median | shape | {"tooltip": _TOOLTIP}, size=46, filled=True),
        width=PANEL_WIDTH,
        height=PANEL_HEIGHT,
    )
    chart = facets(panel, rows(point.as_row() for point in points), "provider", COLUMNS)
    return finish(legend_click(chart, "algorithm", interval), panels=len(providers))


_TOOLTIP = [
    text_tip("provider", "provider"),
    text_tip("algorithm", "algorithm"),
    number_tip("length_bytes", "bytes", ","),
    number_tip("median", "median MiB/s", ",.4~g"),
    number_tip("low", "95 % from", ",.4~g"),
    number_tip("high", "95 % to", ",.4~g"),
    number_tip("executions", "executions"),
]
