"""Chart of time by input length with the fitted line, and of the deviation of each length from the line."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
from fastapi import Response

from orchestrator.dependencies import DatabaseDep
from orchestrator.results.answers.scaling import get_scaling
from orchestrator.results.answers.scaling_schemas import ScalingAnswer, ScalingRow
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.values.forms import variant_label
from orchestrator.web.charts.latency import NS_LABEL
from orchestrator.web.charts.points import parse_measure
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import SIZE_LABEL, Spec, finish, log_ticks
from orchestrator.web.routing import Choice

WIDTH = 560
TIME_HEIGHT = 300
MISS_HEIGHT = 110
MAX_SERIES = 40
"""Charts with more lines are unreadable; the table contains all of them."""
Identity = tuple[str, str, str, int, str, str, int, str]

router = chart_router()


@router.get("/runs/{run_id}/charts/scaling.{form}")
def scaling_chart(
    *,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    run_id: str,
    form: ChartFormat,
    measure: Choice = "",
    agent: Choice = "",
) -> Response:
    """Draw time by input length with the fitted line, and the deviations from the line."""
    answer = get_scaling(database, cache, run_id, parse_measure(measure) if measure else None)
    return chart_response(lambda: spec(answer, agent or None), form)


def spec(answer: ScalingAnswer, agent_id: str | None) -> Spec:
    """Return the chart of one agent's candidates; the logarithmic axis has no place for length 0."""
    rows = [row for row in answer.rows if row.points and agent_id in (None, row.agent_id)][:MAX_SERIES]
    names = _names(rows)
    marks = [mark for row, name in zip(rows, names, strict=True) for mark in _marks(row, name)]
    lengths = sorted({mark["length_bytes"] for mark in marks})
    chosen = alt.selection_point(fields=["series"], bind="legend", name="chosen")
    base = alt.Chart().encode(
        color=alt.Color("series:N")
        .scale(scheme="tableau20")
        .legend(title=["Candidate", "(click to single out)"], labelLimit=240),
        opacity=alt.when(chosen).then(alt.value(1.0)).otherwise(alt.value(0.12)),
    )
    chart = alt.vconcat(
        _times(base, marks, _lengths_axis(lengths, None)).add_params(chosen),
        _misses(base, _lengths_axis(lengths, "Input length")),
        data=alt.InlineData(values=marks),
        spacing=14,
    )
    return finish(chart, panels=1)


def _lengths_axis(lengths: Sequence[int], title: str | None) -> alt.X:
    x = alt.X("length_bytes:Q").scale(type="log", base=2, nice=False, padding=18).title(title)
    axis = alt.Axis(values=list(lengths), labelExpr=SIZE_LABEL, labelAngle=0, labelOverlap=True, grid=False)
    # Both panels have the same lengths; only the lower one has labels.
    axis.labels = title is not None
    return x.axis(axis)


def _times(base: alt.Chart, marks: Sequence[Mapping[str, Any]], x: alt.X) -> alt.LayerChart:
    values = [mark[name] for mark in marks for name in ("time_ns", "line_ns") if mark[name] and mark[name] > 0]
    ticks = log_ticks(values)
    scale = alt.Scale(type="log", domain=[ticks[0], ticks[-1]]) if ticks else alt.Scale(type="log")
    axis = alt.Axis(labelExpr=NS_LABEL, values=ticks, domain=False, ticks=False, labelOverlap=True)
    line = base.mark_line(strokeWidth=1.5).encode(x=x, y=alt.Y("line_ns:Q").scale(scale).axis(axis).title("Time"))
    points = base.mark_point(size=42, filled=True).encode(x=x, y=alt.Y("time_ns:Q").scale(scale), tooltip=_TOOLTIP)
    return alt.LayerChart(layer=[line.transform_filter("datum.line_ns > 0"), points], width=WIDTH, height=TIME_HEIGHT)


def _misses(base: alt.Chart, x: alt.X) -> alt.LayerChart:
    y = alt.Y("miss:Q").axis(format="+.1%", tickCount=4, domain=False, ticks=False).title("Deviation")
    drawn = base.mark_line(strokeWidth=1, opacity=0.5).encode(x=x, y=y)
    points = base.mark_point(size=32, filled=True).encode(x=x, y=y, tooltip=_TOOLTIP)
    even = alt.Chart().mark_rule(strokeDash=[2, 4], color="#888").encode(y=alt.datum(0))
    return alt.LayerChart(layer=[even, drawn, points], width=WIDTH, height=MISS_HEIGHT)


_TOOLTIP = [
    alt.Tooltip("series:N", title="candidate"),
    alt.Tooltip("length_bytes:Q", title="bytes", format=","),
    alt.Tooltip("time_ns:Q", title="measured ns", format=",.4~g"),
    alt.Tooltip("line_ns:Q", title="line ns", format=",.4~g"),
    alt.Tooltip("miss:Q", title="deviation", format="+.2%"),
]


def _marks(row: ScalingRow, name: str) -> list[dict[str, Any]]:
    return [{"series": name, **point.model_dump()} for point in row.points if point.length_bytes]


def _identity(row: ScalingRow) -> Identity:
    call = f"{row.operation} + key" if row.key_setup == "included" else row.operation
    associated = row.associated_data_bytes
    identity = (row.algorithm, row.provider, variant_label(row), row.copy_number, row.toolchain)
    return *identity, call, associated, row.agent_name


def _names(rows: Sequence[ScalingRow]) -> list[str]:
    """Return a name for each candidate: its algorithm, and the other properties that differ among them."""
    identities = [_identity(row) for row in rows]
    differs = [place == 0 or len({one[place] for one in identities}) > 1 for place in range(8)]
    forms = ("{}", "{}", "{}", "#{}", "{}", "{}", "+ {} B AD", "on {}")
    return [
        " ".join(form.format(word) for form, word, shown in zip(forms, one, differs, strict=True) if shown)
        for one in identities
    ]
