"""Chart of median throughput with 95 % intervals.

Up to `MANY` series: lines over chunk length, one panel per provider. More: the fastest series, one panel per length.
"""

from collections.abc import Sequence
from typing import Any

from fastapi import Response

from orchestrator.results.measures import RankingMeasure
from orchestrator.shared.units import format_size
from orchestrator.web.charts import dots
from orchestrator.web.charts.dots import Dots
from orchestrator.web.charts.leading import MANY, Top, TopDep, leading, spread
from orchestrator.web.charts.points import Point, PointsDep, parse_throughput, throughput_title
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import (
    color_of,
    finish,
    lengths_axis,
    log_scale,
    log_ticks,
    provider_codes,
    series_codes,
)
from orchestrator.web.charts.vega_lite import (
    Spec,
    end,
    facets,
    highlight,
    layers,
    mark,
    number_tip,
    quantity,
    rows,
    singled_out,
    text_tip,
    where,
)
from orchestrator.web.routing import Choice

PANEL_WIDTH = 250
PANEL_HEIGHT = 300
COLUMNS = 3

router = chart_router()


@router.get("/runs/{run_id}/charts/throughput.{form}")
def throughput_chart(points: PointsDep, top: TopDep, form: ChartFormat, measure: Choice = "encrypt") -> Response:
    """Draw median throughput: lines over chunk length, or the fastest of many series."""
    return chart_response(spec(points, parse_throughput(measure), top), form)


def spec(points: Sequence[Point], measure: RankingMeasure, top: Top | None = None) -> Spec:
    """Return the chart of these points."""
    if len({_series(point) for point in points}) > MANY:
        return _dots(points, measure, top or Top())
    return _lines(points, measure)


def _series(point: Point) -> str:
    return f"{point.algorithm} {point.provider}"


def _dots(points: Sequence[Point], measure: RankingMeasure, top: Top) -> Spec:
    found = leading(
        points, name=_series, place=lambda one: one.length_bytes, value=lambda one: one.median, top=top, largest=True
    )
    lengths = spread(sorted({point.length_bytes for point in points}))
    drawn = [point for point in points if _series(point) in set(found.names) and point.length_bytes in lengths]
    providers = sorted({point.provider for point in drawn})
    ticks = log_ticks([value for point in drawn for value in (point.median, point.low, point.high) if value])
    return dots.spec(
        Dots(
            data=[_row(point) for point in drawn],
            names=found.names,
            panels=[format_size(length) for length in lengths],
            title=[f"{found.title('fastest')}: {throughput_title(measure).partition(', MiB')[0]}"],
            axis_title="MiB/s",
            scale=log_scale(ticks),
            axis={"format": "~s", "values": ticks, "domain": False, "ticks": False, "labelOverlap": True},
            codes=provider_codes(providers, title="Provider"),
            tooltip=_TOOLTIP,
        )
    )


def _row(point: Point) -> dict[str, Any]:
    return {**point.as_row(), "series": _series(point), "panel": format_size(point.length_bytes), "value": point.median}


def _lines(points: Sequence[Point], measure: RankingMeasure) -> Spec:
    lengths = sorted({point.length_bytes for point in points})
    providers = sorted({point.provider for point in points})
    ticks = log_ticks([value for point in points for value in (point.median, point.low, point.high) if value])
    names = sorted({point.algorithm for point in points})
    codes = series_codes("algorithm", names, title="Algorithm (click to single out)")
    base = {
        "x": lengths_axis("length_bytes", lengths, "Chunk length"),
        **color_of(codes),
        "opacity": singled_out("algorithm"),
    }
    axis = {"format": "~s", "values": ticks, "domain": False, "ticks": False}
    median = {"y": quantity("median", scale=log_scale(ticks), axis=axis, title=throughput_title(measure))}
    interval = where(
        "datum.low", mark("rule", base | {"y": quantity("low"), "y2": end("high")}, strokeWidth=3, opacity=0.5)
    )
    panel = layers(
        interval,
        mark("line", base | median, strokeWidth=1.5),
        mark("point", base | median | codes | {"tooltip": _TOOLTIP}, size=46, filled=True),
        width=PANEL_WIDTH,
        height=PANEL_HEIGHT,
    )
    chart = facets(panel, rows(point.as_row() for point in points), "provider", COLUMNS)
    return finish(highlight(chart, "algorithm", names, interval), panels=len(providers))


_TOOLTIP = [
    text_tip("provider", "provider"),
    text_tip("algorithm", "algorithm"),
    number_tip("length_bytes", "bytes", ","),
    number_tip("median", "median MiB/s", ",.4~g"),
    number_tip("low", "95 % from", ",.4~g"),
    number_tip("high", "95 % to", ",.4~g"),
    number_tip("executions", "executions"),
]
