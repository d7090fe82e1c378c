"""Chart of the timings of one latency execution in their order, with their median."""

from statistics import median

import altair as alt
from fastapi import Response

from orchestrator.dependencies import DatabaseDep
from orchestrator.results import service as results
from orchestrator.results.schemas import TimingsDetail
from orchestrator.security.dependencies import RowId
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import Spec, finish

WIDTH = 760
HEIGHT = 180

router = chart_router()


@router.get("/executions/{execution_id}/charts/timings.{form}")
def timings_chart(database: DatabaseDep, execution_id: RowId, form: ChartFormat) -> Response:
    """Draw the timings of a latency execution in their order."""
    detail = results.get_timings(database, execution_id)
    return chart_response(lambda: spec(detail), form)


def spec(timings: TimingsDetail) -> Spec:
    """Return the chart; every value is a timing divided by its iterations, nanoseconds."""
    wall_ns = [value / calls for value, calls in zip(timings.wall_ns, timings.iterations, strict=True)]
    cpu_ns = [value / calls for value, calls in zip(timings.cpu_ns, timings.iterations, strict=True)]
    rows = [
        {"number": number, "clock": clock, "call_ns": value}
        for clock, values in (("wall", wall_ns), ("CPU", cpu_ns))
        for number, value in enumerate(values, start=1)
    ]
    x = alt.X("number:O").axis(labelAngle=0, labelOverlap=True).title("Timing, in order")
    y = alt.Y("call_ns:Q").scale(zero=False).title("Time of one call, ns")
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=x, y=y, color=alt.Color("clock:N", sort=["wall", "CPU"]).scale(scheme="tableau10").title("Time")
    )
    middle = alt.Chart(alt.InlineData(values=[{"call_ns": median(wall_ns)}]))
    layers = alt.layer(
        middle.mark_rule(strokeDash=[5, 4], color="#e0601a").encode(y=y),
        base.mark_point(size=55, filled=True, opacity=0.9).encode(
            tooltip=[
                alt.Tooltip("number:O", title="timing"),
                alt.Tooltip("clock:N", title="time"),
                alt.Tooltip("call_ns:Q", title="ns", format=",.5~g"),
            ]
        ),
    )
    return finish(layers.properties(width=WIDTH, height=HEIGHT), panels=1)
