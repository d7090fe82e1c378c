"""Parts of a Vega-Lite specification (https://vega.github.io/vega-lite/docs/), as the dictionaries that are sent.

Altair would build the same dictionaries; it takes 25 to 40 MiB of the service's memory, and two
threads that build charts at the same time get each other's axes (version 6).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Spec = dict[str, Any]

LIMITS_OR_VALUE: list[Spec] = [
    {"calculate": f"datum.{limit} === null ? datum.value : datum.{limit}", "as": name}
    for limit, name in (("low", "from"), ("high", "to"))
]
"""Transforms of an interval's rule: without an interval it has no length, since Vega warns of a panel without rules."""


def quantity(field: str, **properties: Any) -> Spec:
    """Return a channel of numbers; properties: title, scale, axis and others of a channel."""
    return {"field": field, "type": "quantitative", **properties}


def category(field: str, **properties: Any) -> Spec:
    """Return a channel of names without an order of their own."""
    return {"field": field, "type": "nominal", **properties}


def end(field: str) -> Spec:
    """Return the channel of a mark's other end, which has the type and scale of the first."""
    return {"field": field}


def text_tip(field: str, title: str) -> Spec:
    """Return a line of text of a tooltip."""
    return {"field": field, "type": "nominal", "title": title}


def number_tip(field: str, title: str, form: str | None = None) -> Spec:
    """Return a line with a number of a tooltip; form: format of D3, by default that of the library."""
    return {"field": field, "type": "quantitative", "title": title} | ({"format": form} if form else {})


def title(lines: Sequence[str]) -> str | list[str]:
    """Return the title of these lines; empty without any."""
    return list(lines) if len(lines) > 1 else "".join(lines)


def rows(values: Iterable[Mapping[str, Any]]) -> Spec:
    """Return data that are part of the specification."""
    return {"values": [dict(row) for row in values]}


def mark(kind: str, encoding: Mapping[str, Any], **properties: Any) -> Spec:
    """Return marks of a kind (point, line, rule, area, rect, text); properties: color, size and others of a mark."""
    return {"mark": {"type": kind, **properties}, "encoding": dict(encoding)}


def points(encoding: Mapping[str, Any], hollow: str, *, size: int) -> list[Spec]:
    """Return filled points, and hollow ones of the rows that meet a condition.

    hollow: an expression of Vega over ``datum``; empty: all points are filled.
    """
    if not hollow:
        return [mark("point", encoding, size=size, filled=True)]
    return [
        where(f"!({hollow})", mark("point", encoding, size=size, filled=True)),
        where(hollow, mark("point", encoding, size=size, filled=False, strokeWidth=1.8)),
    ]


def where(condition: str, marks: Spec) -> Spec:
    """Return marks of the rows that meet a condition, an expression of Vega over ``datum``."""
    return marks | {"transform": [{"filter": condition}]}


def layers(*parts: Spec, **properties: Any) -> Spec:
    """Return marks above each other; properties: width, height, data and others of a view."""
    return {"layer": list(parts), **properties}


def facets(spec: Spec, data: Spec, field: str, columns: int, order: Sequence[str] | None = None) -> Spec:
    """Return one panel for each value of a field; order: of the panels, by default alphabetical."""
    sort = {} if order is None else {"sort": list(order)}
    return {"data": data, "facet": category(field, title=None, **sort), "columns": columns, "spec": spec}


def highlight(chart: Spec, field: str, names: Sequence[str], first: Spec, legend: str | None = None) -> Spec:
    """Return a chart that singles out series: under the pointer, in a list that works by keyboard, and in the legend.

    legend: field of the legend, by default that of the series. first: a mark of the chart that gets a name, because
    the parameters of a chart with several views name one of them.
    """
    first["name"] = "first"
    choice = {"input": "select", "options": [None, *names], "labels": ["all series", *names], "name": "Highlight "}
    params = [
        {"name": "marked", "value": None, "bind": choice},
        _selection("chosen", {"fields": [legend or field]}) | {"bind": "legend"},
        _selection("hovered", {"fields": [field], "on": "pointerover", "clear": "pointerout"}),
    ]
    return chart | {"params": params}


def _selection(name: str, properties: Mapping[str, Any]) -> Spec:
    return {"name": name, "select": {"type": "point", **properties}, "views": ["first"]}


def singled_out(field: str) -> Spec:
    """Return the opacity of the series that are singled out, and of the others; see highlight."""
    pointed = {"or": [{"param": "hovered", "empty": False}, f"datum[{field!r}] === marked"]}
    nothing = {"and": [{"param": "chosen"}, {"param": "hovered"}, "marked === null"]}
    return {"condition": [{"test": {"or": [nothing, pointed]}, "value": 1.0}], "value": 0.12}
