"""The router of a chart, and its response: a specification for the browser, a picture, the data or a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fastapi import APIRouter, Depends, Response
from fastapi.responses import HTMLResponse, JSONResponse

from orchestrator.service.security.guard import requires
from orchestrator.service.security.routing import BoundedRoute
from orchestrator.shared.exporters import csv
from orchestrator.web.charts import theme
from orchestrator.web.charts.vega_lite import Spec
from orchestrator.web.rendering import HEADERS, render

ChartFormat = Literal["json", "svg", "png", "pdf", "csv", "html"]

_PICTURE_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


def chart_router() -> APIRouter:
    """Return a router of charts that viewers may read."""
    return APIRouter(include_in_schema=False, route_class=BoundedRoute, dependencies=[Depends(requires("viewer"))])


def chart_response(spec: Spec, form: ChartFormat) -> Response:
    """Return a chart as its Vega-Lite specification, as a picture, as its data, or as a table."""
    if form == "json":
        return JSONResponse(spec, headers=HEADERS)
    if form == "csv":
        return Response(_csv(spec), media_type=csv.MEDIA_TYPE, headers=HEADERS)
    if form == "html":
        return HTMLResponse(render("shared/chart_table.html", table=chart_table(spec)), headers=HEADERS)
    return Response(theme.picture(spec, form), media_type=_PICTURE_TYPES[form], headers=HEADERS)


@dataclass(frozen=True)
class ChartTable:
    """The data of a chart as a table."""

    title: str
    """Empty where the chart has none."""
    labels: list[str]
    rows: list[list[str | int | float | bool | None]]


def chart_table(spec: Spec) -> ChartTable:
    """Return the data of a chart with the labels of its tooltips."""
    found = list(rows_of(spec))
    columns = _columns(found)
    labels = dict(_tooltip_labels(spec))
    return ChartTable(
        title=_title(spec.get("title") or ""),
        labels=[labels.get(name, name.replace("_", " ")) for name in columns],
        rows=[[row.get(name) for name in columns] for row in found],
    )


def _title(found: str | list[str]) -> str:
    return found if isinstance(found, str) else "; ".join(found)


def _tooltip_labels(part: Any) -> Iterator[tuple[str, str]]:
    """Yield (field, label) of the tooltips of a specification and of its parts."""
    for one in part if isinstance(part, list) else part.values() if isinstance(part, dict) else ():
        yield from _tooltip_labels(one)
    if isinstance(part, dict) and isinstance(part.get("tooltip"), list):
        yield from ((line["field"], line["title"]) for line in part["tooltip"])


def _columns(rows: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _csv(spec: Spec) -> bytes:
    """Return the rows of a chart, of all its parts; a row without a column has an empty field there."""
    found = list(rows_of(spec))
    columns = _columns(found)
    return b"".join(csv.stream(columns, ([row.get(name) for name in columns] for row in found)))


def rows_of(part: Any) -> Iterator[dict[str, Any]]:
    """Yield the data of a specification and of its parts, each row once for each part that has it."""
    if isinstance(part, list):
        for one in part:
            yield from rows_of(one)
    elif isinstance(part, dict):
        data = part.get("data", {})
        yield from data.get("values", ())
        for name in ("layer", "vconcat", "hconcat", "spec"):
            yield from rows_of(part.get(name))
