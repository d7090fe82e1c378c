"""Error responses as problem details (RFC 9457)."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.routing import Match

from orchestrator.errors import CiphermarkError, InvalidRequest, Overloaded
from orchestrator.values.text import visible_document

MEDIA_TYPE = "application/problem+json"
MAX_SEEN_CHARACTERS = 100
MAX_ERRORS = 20

_METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")

_log = structlog.get_logger(__name__)


class FieldError(BaseModel):
    """One invalid field of a request."""

    field: str
    """Dotted path: ``matrix[0].inputs.sizes[1]``."""
    seen: str | None = None
    """The value as JSON, truncated to 100 characters; left out if the field is absent."""
    allowed: str
    line: int | None = None
    """Line of the field in the text of a plan, from 1; left out for other bodies."""


class Problem(BaseModel):
    """Body of every error response, with the media type ``application/problem+json``."""

    type: str
    """``/problems/<kind>``; kinds are the classes of orchestrator/errors.py in kebab-case."""
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
        if "retry_after_seconds" in error.facts:
            headers["Retry-After"] = str(error.facts["retry_after_seconds"])
        return cls.of(describe(error, path), headers)


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


def plain(status: int, path: str, detail: str, remedy: str | None = None) -> Problem:
    """Return a problem without an error class; the phrase of the HTTP status is its title."""
    phrase = HTTPStatus(status).phrase
    kind = phrase.lower().replace(" ", "-").replace("'", "")
    return Problem(type=f"/problems/{kind}", title=phrase, status=status, detail=detail, instance=path, remedy=remedy)


def field_errors(errors: Sequence[Any], skip: Sequence[str] = ("body", "query", "path", "header")) -> list[FieldError]:
    """Return at most 20 of pydantic's errors as field errors, with truncated values.

    skip: parts of a request, which are removed from the beginning of a path.
    """
    return [
        FieldError(
            field=_dotted(error["loc"], skip),
            seen=None if error["type"] == "missing" else shorten(error.get("input")),
            allowed=_expectation(error),
        )
        for error in errors[:MAX_ERRORS]
    ]


# By pydantic's error types; placeholders are the keys of an error's context.
_EXPECTATIONS = {
    "missing": "a value is required",
    "extra_forbidden": "there is no such key",
    "literal_error": "expected {expected}",
    "greater_than": "expected more than {gt}",
    "greater_than_equal": "expected at least {ge}",
    "less_than": "expected less than {lt}",
    "less_than_equal": "expected at most {le}",
    "finite_number": "expected a finite number",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "string_type": "expected a text",
    "string_pattern_mismatch": "expected a text that matches {pattern}",
    "string_too_short": "expected at least {min_length} characters",
    "string_too_long": "expected at most {max_length} characters",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "list_type": "expected a list",
    "too_short": "expected {min_length} or more entries",
    "too_long": "expected {max_length} or fewer entries",
    "dict_type": "expected a mapping",
    "model_type": "expected a mapping",
    "model_attributes_type": "expected a mapping",
}


def _expectation(error: Mapping[str, Any]) -> str:
    """Return the expected value; the message of a validator of ours as it is, other types as pydantic has them."""
    template = _EXPECTATIONS.get(error["type"])
    if template is not None and isinstance(error.get("input"), str):
        template = template.replace("entries", "characters")
    if template is None:
        return str(error["msg"]).removeprefix("Value error, ")
    return template.format_map(error.get("ctx", {}))


def shorten(value: object) -> str:
    """Return a value as JSON of at most 100 characters."""
    # A long list is not serialized: a megabyte of JSON would be made for 100 characters.
    if isinstance(value, list | tuple) and len(value) > MAX_SEEN_CHARACTERS:
        return f"{len(value)} items"
    if isinstance(value, str):
        value = value[: MAX_SEEN_CHARACTERS + 1]
    text = json.dumps(value, default=lambda other: type(other).__name__, ensure_ascii=False)
    return text if len(text) <= MAX_SEEN_CHARACTERS else f"{text[: MAX_SEEN_CHARACTERS - 1]}…"


def _dotted(location: Sequence[str | int], skip: Sequence[str]) -> str:
    parts = list(location)
    if len(parts) > 1 and parts[0] in skip:
        parts = parts[1:]
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else str(part)
    return path


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
        return ProblemResponse.of_error(error, request.url.path)

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> ProblemResponse:
        errors = field_errors(error.errors())
        first = errors[0]
        problem = Problem(
            type="/problems/invalid-request",
            title=InvalidRequest.title(),
            status=422,
            detail=f"{first.field}: {first.allowed}" + (f" (seen: {first.seen})" if first.seen else ""),
            instance=request.url.path,
            remedy="Correct the fields named in errors and send the request again.",
            field=first.field,
            errors=errors,
        )
        return ProblemResponse.of(problem)

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
