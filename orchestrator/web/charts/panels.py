"""Charts of values by length, of chunks or of messages: one panel for each operation.

Up to `MANY` series with several lengths: lines over message length. With one length, or with more series: one row for
each of the best series.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.results.answers.by_length.schemas import RelativeRatio
from orchestrator.shared.units import format_size
from orchestrator.web.charts import dots
from orchestrator.web.charts.dots import Dots
from orchestrator.web.charts.leading import MANY, Leading, Top, leading, spread
from orchestrator.web.charts.theme import color_of, finish, lengths_axis, provider_codes, series_codes
from orchestrator.web.charts.vega_lite import (
    Spec,
    category,
    end,
    facets,
    highlight,
    layers,
    mark,
    number_tip,
    points,
    quantity,
    rows,
    singled_out,
    text_tip,
    title,
    where,
)

PANEL_WIDTH = 330
PANEL_HEIGHT = 320
COLUMNS = 2


@dataclass(frozen=True)
class ChartMark:
    """One value with the limits of its 95 % interval."""

    series: str
    coded: str
    """Its toolchain, or its provider: what colors show in rows of dots."""
    operation: str
    length_bytes: int
    value: float
    low: float | None
    high: float | None
    executions: int
    ratio: RelativeRatio
    """To the value of a reference."""

    def as_row(self) -> dict[str, Any]:
        """Return the mark as the data of a chart."""
        return {name: value for name, value in vars(self).items() if name not in ("coded", "ratio")}


@dataclass(frozen=True)
class ChartContents:
    """Marks of a chart and the format of their axis."""

    marks: Sequence[ChartMark]
    title: str | list[str]
    """Title of the axis of values, or its lines."""
    scale: Spec
    axis: Spec
    unit: str
    """Title of the values in the tooltip."""
    words: str
    """Order of the series: ``fastest``."""
    coded: str = "toolchain"
    """Name of the property that colors show."""
    lengths: str = "Message length"
    rises: bool = False
    """Whether larger values are better."""
    even: float | None = None
    """Value of the line that marks no difference."""
    caption: Sequence[str] = ()
    """Further lines of the title."""
    hollow: str = ""
    """Condition of the marks whose points are hollow."""
    tips: Sequence[Spec] = ()
    """Further lines of the tooltip."""


def shown(marks: Sequence[ChartMark]) -> list[ChartMark]:
    """Return the marks that can be drawn: over several lengths, the logarithmic axis has no place for length 0."""
    return [one for one in marks if one.length_bytes] if len(_lengths(marks)) > 1 else list(marks)


def spec(drawn: ChartContents, top: Top | None = None) -> Spec:
    """Return the chart of these marks."""
    coded = sorted({one.coded for one in drawn.marks})
    lines = {(one.series, one.coded) for one in drawn.marks}
    lengths = _lengths(drawn.marks)
    if len(lengths) > 1 and len(lines) <= MANY:
        return _over_lengths(drawn, lengths, several=len(lines) > len({series for series, _ in lines}))
    return _by_series(drawn, lengths, coded, top or Top())


def _lengths(marks: Sequence[ChartMark]) -> list[int]:
    return sorted({one.length_bytes for one in marks if one.length_bytes})


def _row(drawn: ChartContents, one: ChartMark) -> dict[str, Any]:
    return {drawn.coded: one.coded, **one.as_row()}


def _over_lengths(drawn: ChartContents, lengths: Sequence[int], several: bool) -> Spec:
    operations = list(dict.fromkeys(one.operation for one in drawn.marks))
    data = [
        {**_row(drawn, one), "line": f"{one.series}, {one.coded}" if several else one.series} for one in drawn.marks
    ]
    names = sorted({str(row["line"]) for row in data})
    codes = series_codes("line", names, title=["Implementation", "(click to single out)"])
    base = {
        "x": lengths_axis("length_bytes", lengths, drawn.lengths),
        **color_of(codes),
        "opacity": singled_out("line"),
    }
    y = {"y": quantity("value", scale=drawn.scale, axis=drawn.axis, title=drawn.title)}
    dash = {"strokeDash": category(drawn.coded, legend=None)} if several else {}
    interval = where(
        "datum.low", mark("rule", base | {"y": quantity("low"), "y2": end("high")}, strokeWidth=3, opacity=0.5)
    )
    even = [mark("rule", {"y": {"datum": drawn.even}}, strokeDash=[2, 4], color="#888")] if drawn.even else []
    panel = layers(
        interval,
        mark("line", base | y | dash, strokeWidth=1.5),
        *points(base | y | codes | {"tooltip": _tooltip(drawn)}, drawn.hollow, size=40),
        *even,
        width=PANEL_WIDTH,
        height=PANEL_HEIGHT,
    )
    chart = facets(panel, rows(data), "operation", COLUMNS, operations)
    chart = highlight(chart, "line", names, interval)
    return finish(chart | {"title": title(drawn.caption)}, panels=len(operations))


def _by_series(drawn: ChartContents, lengths: Sequence[int], coded: Sequence[str], top: Top) -> Spec:
    """Return one row for each of the best series, and one panel for each operation and length."""
    found = _leading(drawn, top)
    chosen, several = set(spread(lengths)), len(lengths) > 1
    marks = [one for one in drawn.marks if one.series in found.names and (not several or one.length_bytes in chosen)]
    data = [{**_row(drawn, one), "panel": _panel(one, several)} for one in marks]
    name = drawn.coded.capitalize()
    codes = provider_codes(coded, title=name) if name == "Provider" else series_codes(drawn.coded, coded, title=name)
    return dots.spec(
        Dots(
            data=data,
            names=found.names,
            panels=list(dict.fromkeys(str(row["panel"]) for row in data)),
            title=[*([found.title(drawn.words)] if found.total > 1 else []), *drawn.caption],
            axis_title=drawn.title,
            scale=drawn.scale,
            axis=drawn.axis,
            codes=codes,
            tooltip=_tooltip(drawn),
            even=drawn.even,
            hollow=drawn.hollow,
        )
    )


def _leading(drawn: ChartContents, top: Top) -> Leading:
    return leading(
        drawn.marks, name=lambda one: one.series, place=lambda one: (one.operation, one.length_bytes),
        value=lambda one: one.value, top=top, largest=drawn.rises,
    )  # fmt: skip


def _panel(one: ChartMark, several_lengths: bool) -> str:
    return f"{one.operation}, {format_size(one.length_bytes)}" if several_lengths else one.operation


def _tooltip(drawn: ChartContents) -> list[Spec]:
    return [
        text_tip("series", "implementation"),
        text_tip(drawn.coded, drawn.coded),
        number_tip("length_bytes", "bytes", ","),
        number_tip("value", drawn.unit, ",.4~g"),
        number_tip("low", "95 % from", ",.4~g"),
        number_tip("high", "95 % to", ",.4~g"),
        number_tip("executions", "executions"),
        *drawn.tips,
    ]
