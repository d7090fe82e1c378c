"""Chart of the timings of one latency execution in their order, with their median."""

from statistics import median

from fastapi import Response

from orchestrator.results import service as results
from orchestrator.results.schemas import TimingsDetail
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import RowId
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import finish, series_codes
from orchestrator.web.charts.vega_lite import Spec, layers, mark, number_tip, quantity, rows, text_tip

WIDTH = 760
HEIGHT = 180
CLOCKS = ("wall", "CPU")

router = chart_router()


@router.get("/executions/{execution_id}/charts/timings.{form}")
def timings_chart(database: DatabaseDep, execution_id: RowId, form: ChartFormat) -> Response:
    """Draw the timings of a latency execution in their order."""
    with database.read() as session:
        detail = results.get_timings(session, execution_id)
    return chart_response(spec(detail), form)


def spec(timings: TimingsDetail) -> Spec:
    """Return the chart; every value is a timing divided by its iterations, nanoseconds."""
    wall_ns = [value / calls for value, calls in zip(timings.wall_ns, timings.iterations, strict=True)]
    cpu_ns = [value / calls for value, calls in zip(timings.cpu_ns, timings.iterations, strict=True)]
    values = [
        {"number": number, "clock": clock, "call_ns": value}
        for clock, timed in (("wall", wall_ns), ("CPU", cpu_ns))
        for number, value in enumerate(timed, start=1)
    ]
    axis = {"labelAngle": 0, "labelOverlap": True}
    y = {"y": quantity("call_ns", scale={"zero": False}, title="Time of one call, ns")}
    encoding = y | {
        "x": {"field": "number", "type": "ordinal", "axis": axis, "title": "Timing, in order"},
        **series_codes("clock", CLOCKS, title="Time"),
        "tooltip": [text_tip("number", "timing"), text_tip("clock", "time"), number_tip("call_ns", "ns", ",.5~g")],
    }
    chart = layers(
        mark("rule", y, strokeDash=[5, 4], color="#e0601a") | {"data": rows([{"call_ns": median(wall_ns)}])},
        mark("point", encoding, size=55, filled=True, opacity=0.9) | {"data": rows(values)},
        width=WIDTH,
        height=HEIGHT,
    )
    return finish(chart, panels=1)
