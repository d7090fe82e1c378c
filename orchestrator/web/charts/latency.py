"""Chart of the median time of one call by implementation, toolchain and message length, on a logarithmic axis."""

from collections.abc import Sequence

from fastapi import Response

from orchestrator.web.charts import panels
from orchestrator.web.charts.calls import CallsDep
from orchestrator.web.charts.leading import Top, TopDep
from orchestrator.web.charts.panels import ChartContents, ChartMark
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import log_scale, log_ticks
from orchestrator.web.charts.vega_lite import Spec

NS_LABEL = (
    "datum.value >= 1e6 ? format(datum.value / 1e6, '~g') + ' ms' : "
    "datum.value >= 1e3 ? format(datum.value / 1e3, '~g') + ' µs' : format(datum.value, '~g') + ' ns'"
)
"""Vega's own prefixes would write 2 µs as 2k ns."""
NS_AXIS: Spec = {"labelExpr": NS_LABEL, "domain": False, "ticks": False, "labelOverlap": True}

router = chart_router()


@router.get("/runs/{run_id}/charts/latency.{form}")
def latency_chart(calls: CallsDep, top: TopDep, form: ChartFormat) -> Response:
    """Draw the median time of one call by message length, one panel for each kind of call."""
    return chart_response(spec(calls, top), form)


def spec(calls: Sequence[ChartMark], top: Top | None = None) -> Spec:
    """Return the chart of these calls; their values are nanoseconds."""
    drawn = panels.shown(calls)
    ticks = log_ticks([value for call in drawn for value in (call.value, call.low, call.high) if value])
    return panels.spec(
        ChartContents(
            marks=drawn,
            title="Time of one call",
            scale=log_scale(ticks),
            axis=NS_AXIS | {"values": ticks},
            unit="median ns",
            words="fastest",
        ),
        top,
    )
