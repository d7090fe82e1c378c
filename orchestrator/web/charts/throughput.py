"""Chart of median throughput by provider, algorithm and chunk length, with 95 % intervals, on a logarithmic axis."""

from collections.abc import Sequence
from dataclasses import replace

from fastapi import Response

from orchestrator.results.measures import RankingMeasure
from orchestrator.web.charts import panels
from orchestrator.web.charts.leading import Top, TopDep
from orchestrator.web.charts.panels import ChartContents, ChartMark
from orchestrator.web.charts.points import PointsDep, parse_throughput, throughput_title
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import log_scale, log_ticks
from orchestrator.web.charts.vega_lite import Spec
from orchestrator.web.routing import Choice

router = chart_router()


@router.get("/runs/{run_id}/charts/throughput.{form}")
def throughput_chart(points: PointsDep, top: TopDep, form: ChartFormat, measure: Choice = "encrypt") -> Response:
    """Draw median throughput: lines over chunk length, or the fastest of many series."""
    return chart_response(spec(points, parse_throughput(measure), top), form)


def spec(points: Sequence[ChartMark], measure: RankingMeasure, top: Top | None = None) -> Spec:
    """Return the chart of these points; their values are MiB/s."""
    ticks = log_ticks([value for point in points for value in (point.value, point.low, point.high) if value])
    return panels.spec(
        ChartContents(
            marks=[replace(one, series=f"{one.series} {one.coded}") for one in points],
            title=throughput_title(measure),
            scale=log_scale(ticks),
            axis={"format": "~s", "values": ticks, "domain": False, "ticks": False, "labelOverlap": True},
            unit="median MiB/s",
            words="fastest",
            coded="provider",
            lengths="Chunk length",
            rises=True,
        ),
        top,
    )
