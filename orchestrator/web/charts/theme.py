"""Colors, axes and pictures common to all charts."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from orchestrator.results.schemas import Interval
from orchestrator.shared.units import GIB, KIB, MIB
from orchestrator.web import vega
from orchestrator.web.charts.vega_lite import Spec, category, quantity
from orchestrator.web.codes import Code, code_at, provider_code
from orchestrator.web.vega import PictureFormat

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

MANY_DECADES = 3.4
LABEL_PIXELS = 6.3
"""Mean width of a character of a row's label."""
MAX_LABEL_PIXELS = 300

# Vega's expression language has no function for binary sizes.
SIZE_LABEL = (
    f"datum.value >= {GIB} ? datum.value / {GIB} + ' GiB' : datum.value >= {MIB} ? datum.value / {MIB} + ' MiB' : "
    f"datum.value >= {KIB} ? datum.value / {KIB} + ' KiB' : datum.value + ' B'"
)

SHORT_LABEL = "format(datum.value, datum.value < 1 ? '~g' : '~s')"
"""A number in few characters. The prefixes below 1 would write 0.4 MiB as 400m."""

# The page sets the colors of text and lines, because they depend on its light or dark scheme.
_CONFIG: Spec = {
    "background": "transparent",
    "font": "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "gridOpacity": 0.6},
    "header": {"labelFontSize": 13, "labelFontWeight": "bold", "title": None},
    "title": {"anchor": "start", "fontSize": 12, "fontWeight": "normal", "offset": 10},
    "legend": {
        "labelFontSize": 11,
        "labelLimit": 200,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "symbolStrokeWidth": 2,
    },
}


def provider_codes(names: Sequence[str], **properties: Any) -> Spec:
    """Return the channels color and shape of each provider; properties: title, legend and others of both."""
    return coded("provider", names, [provider_code(one) for one in names], **properties)


def series_codes(field: str, names: Sequence[str], **properties: Any) -> Spec:
    """Return the channels color and shape of each series; properties: title, legend and others of both."""
    return coded(field, names, [code_at(place) for place in range(len(names))], **properties)


def coded(field: str, names: Sequence[str], codes: Sequence[Code], **properties: Any) -> Spec:
    """Return the channels color and shape of these names; properties: of both, so that they share a legend."""
    return {
        channel: category(field, scale={"domain": list(names), "range": list(values)}, **properties)
        for channel, values in (("color", [one.color for one in codes]), ("shape", [one.shape for one in codes]))
    }


def color_of(codes: Spec) -> Spec:
    """Return only the color of these codes: lines have no shape, and Vega warns of one."""
    return {"color": codes["color"]}


def limits(interval: Interval | None, unit: float = 1.0) -> dict[str, float | None]:
    """Return the limits of an interval as fields of a chart's data, in this unit; None without an interval."""
    return {"low": interval.low / unit, "high": interval.high / unit} if interval else {"low": None, "high": None}


def values_with_limits(data: Iterable[Mapping[str, Any]]) -> list[float]:
    """Return the values of a chart's data and the limits of their intervals, as far as a logarithmic axis has them."""
    return [row[name] for row in data for name in ("value", "low", "high") if (row.get(name) or 0) > 0]


def moments(field: str) -> Spec:
    """Return the channel of a time axis in UTC."""
    axis = {"format": "%d %b %H:%M", "labelAngle": 0, "labelOverlap": True, "tickCount": 4}
    return {"field": field, "type": "temporal", "scale": {"type": "utc"}, "title": None, "axis": axis}


def log_scale(ticks: Sequence[float]) -> Spec:
    """Return a logarithmic scale from the first to the last tick; without ticks, its limits are those of the data."""
    return {"type": "log"} | ({"domain": [ticks[0], ticks[-1]]} if ticks else {})


def lengths_axis(field: str, lengths: Sequence[int], title: str | None) -> Spec:
    """Return the channel of an axis of lengths in bytes, logarithmic, with a tick at each length."""
    axis = {"values": list(lengths), "labelExpr": SIZE_LABEL, "labelAngle": 0, "labelOverlap": True, "grid": False}
    scale = {"type": "log", "base": 2, "nice": False, "padding": 18}
    return quantity(field, scale=scale, axis=axis, title=title)


def log_ticks(values: Sequence[float]) -> list[float]:
    """Return round values for a logarithmic axis, one of them beyond each end."""
    if not values:
        return []
    low, high = math.log10(min(values)), math.log10(max(values))
    steps = (1,) if high - low > MANY_DECADES else (1, 2, 5)
    ticks = [step * 10.0**decade for decade in range(math.floor(low), math.ceil(high) + 1) for step in steps]
    first = max((tick for tick in ticks if tick <= min(values)), default=ticks[0])
    last = min((tick for tick in ticks if tick >= max(values)), default=ticks[-1])
    return [tick for tick in ticks if first <= tick <= last]


def label_width(names: Sequence[str]) -> int:
    """Return the room that the labels of rows need, pixels."""
    return min(MAX_LABEL_PIXELS, round(LABEL_PIXELS * max((len(name) for name in names), default=0)))


def distinct_names(words: Sequence[tuple[str, ...]], common: int = 0) -> list[str]:
    """Return a name for each: its first word, and of the others those at places where not all have the same.

    common: number of first words; only those that share them are compared.
    """
    groups = defaultdict[tuple[str, ...], list[tuple[str, ...]]](list)
    for one in words:
        groups[one[:common]].append(one)
    varies = {shared: [len(set(column)) > 1 for column in zip(*own, strict=True)] for shared, own in groups.items()}
    return [
        " ".join(word for place, word in enumerate(one) if word and (place == 0 or varies[one[:common]][place]))
        for one in words
    ]


def finish(chart: Spec, panels: int, labels: int = 0) -> Spec:
    """Return the whole specification of a chart.

    The page divides its width by the number of panels, and between plot and labels of rows, which need these pixels.
    """
    given = {"panels": panels} | ({"labels": labels} if labels else {})
    return {"$schema": SCHEMA, **chart, "config": _CONFIG, "usermeta": given}


def svg(spec: Spec) -> str:
    """Return a specification drawn as SVG, by another process; raises Unavailable."""
    return picture(spec, "svg").decode()


def picture(spec: Spec, form: PictureFormat) -> bytes:
    """Return a specification drawn on white in this format, by another process; raises Unavailable."""
    return vega.picture(spec | {"background": "white"}, form)
