"""The router of a chart, and its response: a specification for the browser, or an SVG picture."""

import threading
from collections.abc import Callable
from typing import Literal

from fastapi import APIRouter, Depends, Response
from fastapi.responses import JSONResponse

from orchestrator.security.guard import requires
from orchestrator.security.routing import BoundedRoute
from orchestrator.web.charts import theme
from orchestrator.web.rendering import HEADERS

ChartFormat = Literal["json", "svg"]
_building = threading.Lock()
"""Altair 6 keeps the object of a call such as ``alt.Y(…).scale(…)`` in its class until the call is made: a chart that
another thread builds at the same time would get the scale, axis or field of this one."""


def chart_router() -> APIRouter:
    """Return a router of charts that viewers may read."""
    return APIRouter(include_in_schema=False, route_class=BoundedRoute, dependencies=[Depends(requires("viewer"))])


def chart_response(build: Callable[[], theme.Spec], form: ChartFormat) -> Response:
    """Return a chart as its specification, or as a picture for browsers without JavaScript.

    build: builds the specification; no other chart is built at the same time.
    """
    with _building:
        spec = build()
    if form == "json":
        return JSONResponse(spec, headers=HEADERS)
    return Response(theme.svg(spec), media_type="image/svg+xml", headers=HEADERS)
