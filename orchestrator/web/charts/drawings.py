"""Figures of a paper in its own axes: the published one next to the same drawing of what each device measured."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from fastapi import Path, Query, Response

from orchestrator.papers import service as papers
from orchestrator.papers.endpoints import MAX_RUNS, PaperName, RunIdText
from orchestrator.papers.reporting.drawn import shared_scale
from orchestrator.papers.reporting.schemas import MeasuredColumn, PaperDrawing, PaperDrawings
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.errors import NotFound
from orchestrator.shared.values.palette import COLORS
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import (
    SHORT_LABEL,
    color_of,
    finish,
    limits,
    log_ticks,
    series_codes,
    values_with_limits,
)
from orchestrator.web.charts.vega_lite import (
    LIMITS_OR_VALUE,
    Spec,
    category,
    end,
    facets,
    layers,
    mark,
    number_tip,
    quantity,
    rows,
    text_tip,
)

WIDTH, HEIGHT = 230, 150
PUBLISHED = "published"

router = chart_router()


@router.get("/papers/{name}/charts/drawing/{drawing}.{form}")
def drawing_chart(
    *,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    name: PaperName,
    drawing: Annotated[str, Path(pattern=r"^[a-z0-9-]{1,40}$")],
    form: ChartFormat,
    run: Annotated[list[RunIdText] | None, Query(max_length=MAX_RUNS)] = None,
) -> Response:
    """Draw a figure of a paper as it was published, and next to it what each device of some runs measured."""
    found = papers.get_drawings(database, cache, name, papers.get_verdicts_of(database, cache, name, run or []))
    chosen = next((one for one in found.drawings if one.name == drawing and one.kind != "table"), None)
    if chosen is None:
        names = ", ".join(one.name for one in found.drawings if one.kind != "table") or "none"
        raise NotFound(f"Paper {name} has no chart {drawing!r}.", remedy=f"Charts: {names}.", field="drawing")
    return chart_response(spec(found, chosen), form)


def spec(found: PaperDrawings, drawing: PaperDrawing) -> Spec:
    """Return a figure as panels with the same axes: for each of its panels the published one, then each device's."""
    sources = [PUBLISHED, *map(source_of, found.columns)]
    data = list(_rows(drawing, sources))
    panels = [_title(panel, source) for panel in _names(drawing, "panel") for source in sources]
    series = _names(drawing, "series")
    unit = drawing.y if drawing.unit == "times" else f"{drawing.y} [{drawing.unit}]"
    bars = layers(*_bars(drawing, series, unit, data), width=WIDTH, height=HEIGHT)
    chart = facets(bars, rows(data), "panel", len(sources), panels)
    # Titles of several lines, so that a panel is no wider than its bars.
    chart["facet"]["header"] = {"labelExpr": "split(datum.label, '\\n')", "labelLimit": WIDTH}
    if not shared_scale(found, drawing):
        chart["resolve"] = {"scale": {"y": "independent"}}
    whole = finish(chart, panels=len(panels))
    whole["usermeta"]["group"] = len(sources)
    return whole


def source_of(column: MeasuredColumn) -> str:
    """Return the title of a device in a run, in two lines."""
    return f"{column.agent_name}, {column.submitted_at:%Y-%m-%d}\n{column.run_id}"


def _names(drawing: PaperDrawing, field: str) -> list[str]:
    """Return panels, categories or series in the order in which they appear first."""
    return list(dict.fromkeys(getattr(one, field) for one in drawing.spots))


def _title(panel: str, source: str) -> str:
    return f"{panel}\n{source}" if panel else source


def _rows(drawing: PaperDrawing, sources: Sequence[str]) -> Iterator[dict[str, Any]]:
    for one in drawing.spots:
        for place, source in enumerate(sources):
            value = one.values[place - 1] if place else None
            yield {
                "panel": _title(one.panel, source),
                "source": source.replace("\n", ", "),
                "x": one.x,
                "series": one.series,
                "value": value.measured if value else one.published,
                **limits(value.interval if value else None),
            }


def _bars(drawing: PaperDrawing, series: list[str], title: str, data: list[dict[str, Any]]) -> list[Spec]:
    value = _axis(drawing, title, data)
    where: Spec = {"x": category("x", sort=_names(drawing, "x"), title=drawing.x, axis={"labelAngle": -35})}
    color: Spec = {}
    if len(series) > 1:
        where["xOffset"] = {"field": "series", "type": "nominal", "sort": series}
        color = color_of(series_codes("series", series, sort=series, title=drawing.series or None))
    bar = mark("bar", where | color | {"y": value, "tooltip": _TOOLTIP}, **({} if color else {"color": COLORS[0]}))
    if "domain" in value.get("scale", {}):
        # A logarithmic axis has no zero: bars begin at its lower end.
        bar["encoding"]["y2"] = {"datum": value["scale"]["domain"][0]}
    whisker = mark("rule", where | {"y": quantity("from", title=title), "y2": end("to")}, color="#444")
    return [bar, whisker | {"transform": LIMITS_OR_VALUE}]


def _axis(drawing: PaperDrawing, title: str, data: list[dict[str, Any]]) -> Spec:
    scale: Spec = {"zero": True}
    if drawing.scale != "linear":
        ticks = log_ticks(values_with_limits(data))
        # A tick more below, so that the smallest bar has a height.
        scale = {"type": "log", "domain": [ticks[0] / 2, ticks[-1]], "nice": False} if ticks else {}
    return quantity("value", title=title, axis={"tickCount": 5, "labelExpr": SHORT_LABEL}, scale=scale)


_TOOLTIP = [
    text_tip("source", "source"),
    text_tip("x", "at"),
    text_tip("series", "series"),
    number_tip("value", "value", ",.4~g"),
]
