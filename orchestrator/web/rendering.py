"""Responses of pages: schemas of the API rendered as HTML, or the same as JSON."""

from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from typing import Any
from urllib.parse import urlencode

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from pydantic_core import to_json

from orchestrator.results.columns.cells import timing_cell, vouched_cell
from orchestrator.results.columns.comparison import comparison_columns
from orchestrator.results.columns.front import front_columns
from orchestrator.results.columns.masking import masking_columns
from orchestrator.results.columns.ranking import ranking_columns
from orchestrator.results.columns.scaling import scaling_columns
from orchestrator.results.columns.traffic import traffic_columns
from orchestrator.service.problems import invalid_request, note_refusal, retry_header
from orchestrator.service.security.routing import BoundedRoute
from orchestrator.shared.errors import CiphermarkError
from orchestrator.shared.values.text import visible
from orchestrator.web import assets, codes, drawing, formats
from orchestrator.wire.messages import phases_of
from orchestrator.wire.metrics.phases import phase_title

# No other origin, no inline script and no inline style: a plan's name or a runner's stderr cannot become code.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Vary": "Accept, Cookie",
}


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("orchestrator.web"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Messages are neutralized when they arrive; the rows of a database can be older than that rule.
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters.update(formats.FILTERS)
    environment.filters.update(
        phase=phase_title,
        twice=lambda values: [(value, value) for value in values],
        zip_with=lambda first, second: list(zip(first, second, strict=True)),
    )
    environment.globals.update(
        asset=assets.address,
        chart_library=assets.CHART_LIBRARY,
        reading=formats.reading,
        provider_code=codes.provider_code,
        series_steps=codes.SERIES_STEPS,
        no_figures=formats.NO_FIGURES,
        timing_cell=timing_cell,
        vouched_cell=vouched_cell,
        ranking_columns=ranking_columns,
        comparison_columns=comparison_columns,
        front_columns=front_columns,
        masking_columns=masking_columns,
        traffic_columns=traffic_columns,
        scaling_columns=scaling_columns,
        ranking_scale=drawing.ranking_scale,
        throughput_scale=drawing.throughput_scale,
        tie_bars=drawing.tie_bars,
        phases_of=phases_of,
        phase_times=formats.phase_times,
        no_phase=formats.NO_PHASE,
        width_scale=drawing.WIDTHS,
        outcome_segments=drawing.outcome_segments,
        sparkline=drawing.sparkline,
        phase_segments=drawing.phase_segments,
        reading_values=lambda readings: {one.name: one.value for one in readings if one.value is not None},
        absent_reasons=lambda readings: {one.name: one.reason for one in readings if one.reason},
    )
    return environment


def wants_json(request: Request) -> bool:
    """Return whether the request is for JSON, by ``?format=json`` or by the Accept header."""
    if request.query_params.get("format") == "json":
        return True
    accepted = request.headers.get("accept", "")
    return "application/json" in accepted and "text/html" not in accepted


def with_query(request: Request, **changes: object) -> str:
    """Return the query string of this request with some values changed; None removes a value."""
    values: dict[str, object] = {
        name: request.query_params.getlist(name) for name, value in request.query_params.items() if value
    }
    values.update(changes)
    return "?" + urlencode({name: value for name, value in values.items() if value is not None}, doseq=True)


def page(request: Request, template: str, view: Mapping[str, object], **context: Any) -> Response:
    """Return the facts of a page, schemas of the API by name, as HTML or JSON; context: for the HTML alone."""
    if wants_json(request):
        return Response(to_json(view), media_type="application/json", headers=HEADERS)
    return html(request, template, view=view, **context)


def html(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Return a rendered template."""
    text = (
        _templates()
        .get_template(template)
        .render(
            request=request,
            query=lambda **changes: with_query(request, **changes),
            may_write=getattr(request.state, "may_write", False),
            may_administer=getattr(request.state, "may_administer", False),
            owns=getattr(request.state, "owns", lambda owner_id: False),
            **context,
        )
    )
    return HTMLResponse(text, status_code=status, headers=HEADERS)


def render(template: str, **context: Any) -> str:
    """Return a rendered template that is a document of its own, for no request."""
    return _templates().get_template(template).render(**context)


class PageRoute(BoundedRoute):
    """A route that returns errors as pages to requests that accept HTML; its bodies are forms.

    Forms send an empty value for a field that was left as it is: in the query it is the same as none.
    """

    accepts_forms = True
    common_query = frozenset({"format"})

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, wrapped so that errors become pages."""
        handle = super().get_route_handler()

        async def _handle(request: Request) -> Response:
            request.scope["query_string"] = _without_empty(request.scope["query_string"])
            try:
                return await handle(request)
            except (CiphermarkError, RequestValidationError) as error:
                if wants_json(request) or "text/html" not in request.headers.get("accept", ""):
                    raise
                return _problem(request, error)

        return _handle


def _without_empty(query: bytes) -> bytes:
    return b"&".join(part for part in query.split(b"&") if part.partition(b"=")[2])


def _problem(request: Request, error: CiphermarkError | RequestValidationError) -> Response:
    if isinstance(error, RequestValidationError):
        error = invalid_request(error)
    note_refusal(request.scope, error.detail)
    response = html(request, "shared/problem.html", error.status, error=error)
    response.headers.update(retry_header(error))
    return response
