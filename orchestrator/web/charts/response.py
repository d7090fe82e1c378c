"""The router of a chart, and its response: a specification for the browser, or an SVG picture."""

from typing import Literal

from fastapi import APIRouter, Depends, Response
from fastapi.responses import JSONResponse

from orchestrator.security.guard import requires
from orchestrator.security.routing import BoundedRoute
from orchestrator.web.charts import theme
from orchestrator.web.charts.vega_lite import Spec
from orchestrator.web.rendering import HEADERS

ChartFormat = Literal["json", "svg"]


def chart_router() -> APIRouter:
    """Return a router of charts that viewers may read."""
    return APIRouter(include_in_schema=False, route_class=BoundedRoute, dependencies=[Depends(requires("viewer"))])


def chart_response(spec: Spec, form: ChartFormat) -> Response:
    """Return a chart as its specification, or as a picture for browsers without JavaScript."""
    if form == "json":
        return JSONResponse(spec, headers=HEADERS)
    return Response(theme.svg(spec), media_type="image/svg+xml", headers=HEADERS)
