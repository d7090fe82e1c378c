"""Errors as problem details (RFC 9457): what was seen, what is allowed, what to do."""

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from orchestrator.errors import CiphermarkError

MEDIA_TYPE = "application/problem+json"
MAX_SEEN_CHARACTERS = 100
MAX_ERRORS = 20

_log = structlog.get_logger(__name__)


class FieldError(BaseModel):
    """One field of a request that is wrong."""

    field: str
    """Dotted path: ``matrix[0].inputs.sizes[1]``."""
    seen: str | None
    """The value as JSON, cut after 100 characters; null where a field is absent."""
    allowed: str


class Problem(BaseModel):
    """Body of every error answer, with media type ``application/problem+json``."""

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
    """What programs want to know without reading the sentence, for example a job's ``state``."""


class ProblemResponse(JSONResponse):
    """A problem on its way out."""

    media_type = MEDIA_TYPE

    @classmethod
    def of(cls, problem: Problem, headers: dict[str, str] | None = None) -> "ProblemResponse":
        """Return the response for this problem; absent members are left out."""
        return cls(problem.model_dump(exclude_none=True), status_code=problem.status, headers=headers)


def describe(error: CiphermarkError, path: str) -> Problem:
    """Return the problem that tells of this error."""
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
    """Return a problem that has no error class of ours: the words of the HTTP status are its title."""
    phrase = HTTPStatus(status).phrase
    kind = phrase.lower().replace(" ", "-").replace("'", "")
    return Problem(type=f"/problems/{kind}", title=phrase, status=status, detail=detail, instance=path, remedy=remedy)


def field_errors(errors: Sequence[Any], skip: Sequence[str] = ("body", "query", "path", "header")) -> list[FieldError]:
    """Return pydantic's errors as ours: at most 20, values cut, the part of the request left off the path."""
    return [
        FieldError(
            field=_dotted(error["loc"], skip),
            seen=None if error["type"] == "missing" else shorten(error.get("input")),
            allowed=str(error["msg"]).removeprefix("Value error, "),
        )
        for error in errors[:MAX_ERRORS]
    ]


def shorten(value: object) -> str:
    """Return a value as JSON of at most 100 characters: nobody wants his megabytes back."""
    # A long container is cut before it is written, or a megabyte would be serialised to show 100 characters.
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


def install(app: FastAPI) -> None:
    """Make every error of this application a problem."""

    @app.exception_handler(CiphermarkError)
    def _ours(request: Request, error: CiphermarkError) -> ProblemResponse:
        if error.status >= 500:
            _log.error("request failed", path=request.url.path, kind=error.kind(), detail=error.detail)
        headers = {"WWW-Authenticate": "Bearer"} if error.status == HTTPStatus.UNAUTHORIZED else None
        return ProblemResponse.of(describe(error, request.url.path), headers)

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> ProblemResponse:
        errors = field_errors(error.errors())
        first = errors[0]
        problem = Problem(
            type="/problems/invalid-request",
            title="The request is wrong; nothing was stored.",
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
        return ProblemResponse.of(plain(error.status_code, request.url.path, str(error.detail)), headers)

    @app.exception_handler(Exception)
    def _unknown(request: Request, error: Exception) -> ProblemResponse:
        # The traceback goes to the log, never to the caller.
        _log.error("request crashed", path=request.url.path, exc_info=error)
        problem = plain(500, request.url.path, "The service made a mistake.", "Its log has the traceback; report it.")
        return ProblemResponse.of(problem)
