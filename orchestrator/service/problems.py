"""Error responses as problem details (RFC 9457)."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import Scope

from orchestrator.shared.errors import CiphermarkError, InvalidRequest, Overloaded
from orchestrator.shared.values.field_errors import FieldError, field_errors
from orchestrator.shared.values.models import LazyModel
from orchestrator.shared.values.text import visible_document

MEDIA_TYPE = "application/problem+json"

_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")

_log = structlog.get_logger(__name__)


class Problem(LazyModel):
    """Body of every error response, with the media type ``application/problem+json``."""

    type: str
    """``/problems/<kind>``; kinds are the classes of orchestrator/shared/errors.py in kebab-case."""
    title: str
    status: int
    detail: str
    instance: str
    """Path of the request."""
    remedy: str | None = None
    field: str | None = None
    errors: list[FieldError] | None = None
    facts: dict[str, Any] | None = None
    """Values from the message for programs, for example the ``state`` of a job."""


_REFUSAL = "ciphermark.refusal"
"""Key of an ASGI scope: why its request was refused."""


def note_refusal(scope: Scope, reason: str) -> None:
    """Record why a request was refused, for the audit log."""
    scope[_REFUSAL] = reason


def refusal_of(scope: Scope) -> str | None:
    """Return why the request of an ASGI scope was refused; None: no reason is known."""
    found: str | None = scope.get(_REFUSAL)
    return found


SAFE_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
"""Headers of every response; an endpoint whose response may be stored by a cache has its own."""


class ProblemResponse(JSONResponse):
    """Response with a problem as its body."""

    media_type = MEDIA_TYPE

    @classmethod
    def of(cls, problem: Problem, headers: Mapping[str, str] | None = None) -> "ProblemResponse":
        """Return the response for a problem, without its absent members.

        A problem repeats what the client sent; control characters in it become visible.
        """
        body = visible_document(problem.model_dump(exclude_none=True))
        return cls(body, status_code=problem.status, headers={**SAFE_HEADERS, **(headers or {})})

    @classmethod
    def of_error(cls, error: CiphermarkError, path: str) -> "ProblemResponse":
        """Return the response for an error of Ciphermark, with the headers that belong to its status."""
        headers = {}
        if error.status == HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = "Bearer"
        return cls.of(describe(error, path), headers | retry_header(error))


def retry_header(error: CiphermarkError) -> dict[str, str]:
    """Return the header with the pause before a repetition of a refused request."""
    seconds = error.facts.get("retry_after_seconds")
    return {} if seconds is None else {"Retry-After": str(seconds)}


def describe(error: CiphermarkError, path: str) -> Problem:
    """Return the problem for an error of Ciphermark."""
    facts = {name: value for name, value in error.facts.items() if isinstance(value, str | int | float | list | dict)}
    return Problem(
        type=f"/problems/{error.kind()}",
        title=error.title(),
        status=error.status,
        detail=error.detail,
        instance=path,
        remedy=error.remedy or None,
        field=error.field or None,
        errors=facts.pop("errors", None),
        facts=facts or None,
    )


def invalid_request(error: RequestValidationError) -> InvalidRequest:
    """Return the error for a request that FastAPI refuses: what the first invalid field allows, and all in errors."""
    errors = field_errors(error.errors())
    first = errors[0]
    return InvalidRequest(
        f"{first.field}: {first.allowed}" + (f" (seen: {first.seen})" if first.seen else ""),
        remedy="Correct the fields named in errors and send the request again.",
        field=first.field,
        errors=errors,
    )


def plain(status: int, path: str, detail: str, remedy: str | None = None) -> Problem:
    """Return a problem without an error class; the phrase of the HTTP status is its title."""
    phrase = HTTPStatus(status).phrase
    kind = phrase.lower().replace(" ", "-").replace("'", "")
    return Problem(type=f"/problems/{kind}", title=phrase, status=status, detail=detail, instance=path, remedy=remedy)


def _methods(request: Request) -> set[str]:
    """Return the methods of all routes of the request's path; the router itself reports those of the first one."""
    return {
        method
        for method in _METHODS
        for route in request.app.routes
        if route.matches({**request.scope, "method": method})[0] is Match.FULL
    }


def install(app: FastAPI) -> None:
    """Install handlers that turn every error of an application into a problem."""

    @app.exception_handler(CiphermarkError)
    def _ours(request: Request, error: CiphermarkError) -> ProblemResponse:
        if error.status >= 500 and not isinstance(
            error, Overloaded
        ):  # a log line for each refusal would be a load, too
            _log.error("request failed", path=request.url.path, kind=error.kind(), detail=error.detail)
        note_refusal(request.scope, error.detail)
        return ProblemResponse.of_error(error, request.url.path)

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> ProblemResponse:
        return _ours(request, invalid_request(error))

    @app.exception_handler(HTTPException)
    def _framework(request: Request, error: HTTPException) -> ProblemResponse:
        headers = dict(error.headers) if error.headers else None
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            headers = {"Allow": ", ".join(sorted(_methods(request)))}
        return ProblemResponse.of(plain(error.status_code, request.url.path, str(error.detail)), headers)

    @app.exception_handler(Exception)
    def _unknown(request: Request, error: Exception) -> ProblemResponse:
        # The traceback is logged and not sent to the client.
        _log.error("request crashed", path=request.url.path, exc_info=error)
        problem = plain(
            500, request.url.path, "An internal error occurred.", "Report it with the traceback in the service's log."
        )
        return ProblemResponse.of(problem)
