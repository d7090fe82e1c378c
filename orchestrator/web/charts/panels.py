"""Charts of calls: one panel for each kind of call, over message length or, with one length, one row per series."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from orchestrator.web.charts.theme import SIZE_LABEL, Spec, finish

PANEL_WIDTH = 330
PANEL_HEIGHT = 320
ROW_HEIGHT = 22
COLUMNS = 2


@dataclass(frozen=True)
class Mark:
    """One value with the limits of its 95 % interval."""

    series: str
    toolchain: str
    operation: str
    length_bytes: int
    value: float
    low: float | None
    high: float | None
    executions: int


@dataclass(frozen=True)
class Drawn:
    """Marks of a chart and the format of their axis."""

    marks: Sequence[Mark]
    title: str
    scale: alt.Scale
    axis: alt.Axis
    unit: str
    """Title of the values in the tooltip."""
    even: float | None = None
    """Value of the line that marks no difference."""


def shown(marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks that can be drawn: over several lengths, the logarithmic axis has no place for length 0."""
    return [mark for mark in marks if mark.length_bytes] if len(_lengths(marks)) > 1 else list(marks)


def spec(drawn: Drawn) -> Spec:
    """Return the chart of these marks."""
    lengths = _lengths(drawn.marks)
    layers = _over_lengths(drawn, lengths) if len(lengths) > 1 else _rows(drawn)
    operations = list(dict.fromkeys(mark.operation for mark in drawn.marks))
    chart = layers.facet(
        data=alt.InlineData(values=[vars(mark) for mark in drawn.marks]),
        facet=alt.Facet("operation:N", sort=operations).title(None),
        columns=COLUMNS,
    )
    return finish(chart, panels=len(operations))


def _lengths(marks: Sequence[Mark]) -> list[int]:
    return sorted({mark.length_bytes for mark in marks if mark.length_bytes})


def _over_lengths(drawn: Drawn, lengths: Sequence[int]) -> alt.LayerChart:
    chosen = alt.selection_point(fields=["series"], bind="legend", name="chosen")
    base = alt.Chart().encode(
        x=alt.X("length_bytes:Q")
        .scale(type="log", base=2, nice=False, padding=18)
        .axis(values=list(lengths), labelExpr=SIZE_LABEL, labelAngle=0, labelOverlap=True, grid=False)
        .title("Message length"),
        color=alt.Color("series:N").scale(scheme="tableau10").title(["Implementation", "(click to single out)"]),
        opacity=alt.when(chosen).then(alt.value(1.0)).otherwise(alt.value(0.12)),
    )
    y = alt.Y("value:Q").scale(drawn.scale).axis(drawn.axis).title(drawn.title)
    layers = [
        base.mark_rule(strokeWidth=3, opacity=0.5).encode(y=alt.Y("low:Q"), y2="high:Q").transform_filter("datum.low"),
        base.mark_line(strokeWidth=1.5).encode(y=y, strokeDash=alt.StrokeDash("toolchain:N", legend=None)),
        base.mark_point(size=40, filled=True).encode(
            y=y, shape=alt.Shape("toolchain:N").title("Toolchain"), tooltip=_tooltip(drawn.unit)
        ),
    ]
    if drawn.even is not None:
        layers.append(alt.Chart().mark_rule(strokeDash=[2, 4], color="#888").encode(y=alt.datum(drawn.even)))
    chart: alt.LayerChart = alt.LayerChart(layer=layers, width=PANEL_WIDTH, height=PANEL_HEIGHT).add_params(chosen)
    return chart


def _rows(drawn: Drawn) -> alt.LayerChart:
    marks = drawn.marks
    order = sorted({mark.series for mark in marks}, key=lambda name: min(m.value for m in marks if m.series == name))
    base = alt.Chart().encode(
        y=alt.Y("series:N", sort=order).title(None).axis(grid=True, labelLimit=220),
        color=alt.Color("toolchain:N").scale(scheme="tableau10").title("Toolchain"),
    )
    x = alt.X("value:Q").scale(drawn.scale).axis(drawn.axis).title(drawn.title)
    layers = [
        base.mark_rule(strokeWidth=5, opacity=0.35).encode(x=alt.X("low:Q"), x2="high:Q").transform_filter("datum.low"),
        base.mark_point(size=60, filled=True).encode(
            x=x, shape=alt.Shape("toolchain:N", legend=None), tooltip=_tooltip(drawn.unit)
        ),
    ]
    if drawn.even is not None:
        layers.append(alt.Chart().mark_rule(strokeDash=[2, 4], color="#888").encode(x=alt.datum(drawn.even)))
    chart: alt.LayerChart = alt.LayerChart(layer=layers, width=PANEL_WIDTH, height=alt.Step(ROW_HEIGHT))
    return chart


def _tooltip(unit: str) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("series:N", title="implementation"),
        alt.Tooltip("toolchain:N", title="toolchain"),
        alt.Tooltip("length_bytes:Q", title="bytes", format=","),
        alt.Tooltip("value:Q", title=unit, format=",.4~g"),
        alt.Tooltip("low:Q", title="95 % from", format=",.4~g"),
        alt.Tooltip("high:Q", title="95 % to", format=",.4~g"),
        alt.Tooltip("executions:Q", title="executions"),
    ]
