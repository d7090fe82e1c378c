"""Dot plots of many series: one row for each, labelled directly, with an interval of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.web.charts.theme import finish, label_width
from orchestrator.web.charts.vega_lite import (
    Spec,
    category,
    end,
    facets,
    highlight,
    layers,
    mark,
    points,
    quantity,
    rows,
    singled_out,
    title,
    where,
)

WIDTH = 260
ROW_HEIGHT = 17
COLUMNS = 3


@dataclass(frozen=True)
class Dots:
    """Data and axis of a dot plot. Each row of the data has the fields series, panel, value, low and high."""

    data: Sequence[Mapping[str, Any]]
    names: Sequence[str]
    """Series in the order of their rows."""
    panels: Sequence[str]
    title: Sequence[str]
    """Lines."""
    axis_title: str | list[str]
    scale: Spec
    axis: Spec
    codes: Spec
    """Color and shape of the points."""
    tooltip: Sequence[Spec]
    even: float | None = None
    """Value of the line that marks no difference."""
    hollow: str = ""
    """Condition of the rows whose points are hollow."""
    own_scales: bool = False
    """Whether each panel has a scale of its own, because their quantities differ."""


def spec(dots: Dots) -> Spec:
    """Return the chart."""
    label_pixels = label_width(dots.names)
    row = {
        "y": category("series", sort=list(dots.names), title=None, axis={"grid": True, "labelLimit": label_pixels}),
        "opacity": singled_out("series"),
    }
    colors = {name: channel for name, channel in dots.codes.items() if name == "color"}
    interval = where(
        "isValid(datum.low)",
        mark("rule", row | colors | {"x": quantity("low"), "x2": end("high")}, strokeWidth=2.5),
    )
    x = {"x": quantity("value", scale=dots.scale, axis=dots.axis, title=dots.axis_title)}
    tooltip = {"tooltip": list(dots.tooltip)}
    even = [mark("rule", {"x": {"datum": dots.even}}, strokeDash=[2, 4], color="#888")] if dots.even else []
    panel = layers(
        interval,
        *points(row | x | dots.codes | tooltip, dots.hollow, size=48),
        *even,
        width=WIDTH,
        height={"step": ROW_HEIGHT},
    )
    chart = facets(panel, rows(dots.data), "panel", COLUMNS, list(dots.panels))
    if dots.own_scales:
        chart |= {"resolve": {"scale": {"x": "independent"}}}
    legend = next((channel["field"] for channel in colors.values()), "series")
    chart = highlight(chart, "series", dots.names, interval, legend=legend) | {"title": title(dots.title)}
    return finish(chart, panels=len(dots.panels), labels=label_pixels)
