"""Charts of calls: one panel for each kind of call, over message length or, with one length, one row per series."""

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.web.charts.theme import finish, lengths_axis
from orchestrator.web.charts.vega_lite import (
    SINGLED_OUT,
    Spec,
    category,
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
    scale: Spec
    axis: Spec
    unit: str
    """Title of the values in the tooltip."""
    even: float | None = None
    """Value of the line that marks no difference."""


def shown(marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks that can be drawn: over several lengths, the logarithmic axis has no place for length 0."""
    return [one for one in marks if one.length_bytes] if len(_lengths(marks)) > 1 else list(marks)


def spec(drawn: Drawn) -> Spec:
    """Return the chart of these marks."""
    lengths = _lengths(drawn.marks)
    operations = list(dict.fromkeys(one.operation for one in drawn.marks))
    parts = _over_lengths(drawn, lengths) if len(lengths) > 1 else _by_series(drawn)
    height = PANEL_HEIGHT if len(lengths) > 1 else {"step": ROW_HEIGHT}
    data = rows(vars(one) for one in drawn.marks)
    panel = layers(*parts, width=PANEL_WIDTH, height=height)
    chart = facets(panel, data, "operation", COLUMNS, operations)
    if len(lengths) > 1:
        chart = legend_click(chart, "series", parts[0])
    return finish(chart, panels=len(operations))


def _lengths(marks: Sequence[Mark]) -> list[int]:
    return sorted({one.length_bytes for one in marks if one.length_bytes})


def _over_lengths(drawn: Drawn, lengths: Sequence[int]) -> list[Spec]:
    title = ["Implementation", "(click to single out)"]
    base = {
        "x": lengths_axis("length_bytes", lengths, "Message length"),
        "color": category("series", scale={"scheme": "tableau10"}, title=title),
        "opacity": SINGLED_OUT,
    }
    y = {"y": quantity("value", scale=drawn.scale, axis=drawn.axis, title=drawn.title)}
    dash = {"strokeDash": category("toolchain", legend=None)}
    shape = {"shape": category("toolchain", title="Toolchain")}
    interval = {"y": quantity("low"), "y2": end("high")}
    return [
        where("datum.low", mark("rule", base | interval, strokeWidth=3, opacity=0.5)),
        mark("line", base | y | dash, strokeWidth=1.5),
        mark("point", base | y | shape | _tooltip(drawn.unit), size=40, filled=True),
        *_even(drawn, "y"),
    ]


def _by_series(drawn: Drawn) -> list[Spec]:
    marks = drawn.marks
    order = sorted({one.series for one in marks}, key=lambda name: min(m.value for m in marks if m.series == name))
    base = {
        "y": category("series", sort=order, title=None, axis={"grid": True, "labelLimit": 220}),
        "color": category("toolchain", scale={"scheme": "tableau10"}, title="Toolchain"),
    }
    x = {"x": quantity("value", scale=drawn.scale, axis=drawn.axis, title=drawn.title)}
    shape = {"shape": category("toolchain", legend=None)}
    interval = {"x": quantity("low"), "x2": end("high")}
    return [
        where("datum.low", mark("rule", base | interval, strokeWidth=5, opacity=0.35)),
        mark("point", base | x | shape | _tooltip(drawn.unit), size=60, filled=True),
        *_even(drawn, "x"),
    ]


def _even(drawn: Drawn, channel: str) -> list[Spec]:
    if drawn.even is None:
        return []
    return [mark("rule", {channel: {"datum": drawn.even}}, strokeDash=[2, 4], color="#888")]


def _tooltip(unit: str) -> Spec:
    lines = [
        text_tip("series", "implementation"),
        text_tip("toolchain", "toolchain"),
        number_tip("length_bytes", "bytes", ","),
        number_tip("value", unit, ",.4~g"),
        number_tip("low", "95 % from", ",.4~g"),
        number_tip("high", "95 % to", ",.4~g"),
        number_tip("executions", "executions"),
    ]
    return {"tooltip": lines}
