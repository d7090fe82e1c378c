"""The router of a chart, and its response: a specification for the browser, a picture, or the data."""

from collections.abc import Iterator
from typing import Any, Literal

from fastapi import APIRouter, Depends, Response
from fastapi.responses import JSONResponse

from orchestrator.exporters import csv
from orchestrator.security.guard import requires
from orchestrator.security.routing import BoundedRoute
from orchestrator.web.charts import theme
from orchestrator.web.charts.vega_lite import Spec
from orchestrator.web.rendering import HEADERS

ChartFormat = Literal["json", "svg", "png", "pdf", "csv"]

_PICTURE_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


def chart_router() -> APIRouter:
    """Return a router of charts that viewers may read."""
    return APIRouter(include_in_schema=False, route_class=BoundedRoute, dependencies=[Depends(requires("viewer"))])


def chart_response(spec: Spec, form: ChartFormat) -> Response:
    """Return a chart as its Vega-Lite specification, as a picture, or as its data."""
    if form == "json":
        return JSONResponse(spec, headers=HEADERS)
    if form == "csv":
        return Response(_csv(spec), media_type=csv.MEDIA_TYPE, headers=HEADERS)
    return Response(theme.picture(spec, form), media_type=_PICTURE_TYPES[form], headers=HEADERS)


def _csv(spec: Spec) -> bytes:
    """Return the rows of a chart, of all its parts; a row without a column has an empty field there."""
    found = list(rows_of(spec))
    columns = list(dict.fromkeys(name for row in found for name in row))
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
