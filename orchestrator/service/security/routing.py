"""Routes that authenticate a request, then limit and read its body, then parse it, then call their endpoint."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from enum import Enum
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from orchestrator.service.security import bodies
from orchestrator.service.security.bodies import DEFAULT_LIMIT, REPORT_LIMIT, BodyLimit
from orchestrator.service.security.guard import Requires, owner_of
from orchestrator.service.server.admission import RequestGate, is_never_refused
from orchestrator.shared.errors import InvalidRequest

_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_UNTIL_SENT = "ciphermark.until_sent"
"""Key of an ASGI scope: what its request holds until the response was sent."""


class BoundedRoute(APIRoute):
    """Route of an operation with limits, in the order in which they cost least: role, size, media type, JSON.

    The application's ``state.gate`` admits its requests.
    """

    accepts_forms = False
    """Whether the body is an HTML form, which the endpoint reads itself; its length is limited in any case."""

    common_query: frozenset[str] = frozenset()
    """Query parameters that all routes of this class accept, in addition to those that an endpoint declares."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return FastAPI's handler, behind the limits."""
        handle = super().get_route_handler()
        if is_never_refused(self.endpoint):
            return handle
        requirements = tuple(_requirements(self.dependant))
        of_daemon = any("agent" in one.roles and "viewer" not in one.roles for one in requirements)
        limit = bodies.limit_of(self.endpoint, bodies.FORM_LIMIT if self.accepts_forms else DEFAULT_LIMIT)
        reads_body = not _WITH_BODY.isdisjoint(self.methods or ())
        known_query = self.common_query.union(_query_names(self.dependant))

        async def _handle(request: Request) -> Response:
            gate: RequestGate = request.app.state.gate
            owner = None
            if requirements:
                async with gate.entered(of_daemon):
                    owner = await _authenticate(request, requirements)
            _check_query(request, known_query)
            async with AsyncExitStack() as held:
                if reads_body:
                    bodies.announced_bytes(request.headers, limit)
                    take = held.enter_context(gate.bodies.share(is_short=limit.max_bytes <= REPORT_LIMIT.max_bytes))
                    request = _BoundedRequest(request.scope, request.receive, limit, take)
                    # A slow body occupies neither a place of its caller nor one of the gate.
                    await request.body()
                if owner is not None and not of_daemon:
                    await held.enter_async_context(gate.callers.taken(owner))
                async with gate.entered(of_daemon):
                    if isinstance(request, _BoundedRequest) and not self.accepts_forms:
                        await request.parse(self._validate)
                    response = await handle(request)
                if isinstance(response, StreamingResponse):
                    response.body_iterator = gate.streamed(response.body_iterator)
                    request.scope[_UNTIL_SENT].push_async_exit(held.pop_all())
                return response

        return _handle

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Process a request; a download, which is made while it is sent, keeps its caller's place until then."""
        async with AsyncExitStack() as scope[_UNTIL_SENT]:
            await super().handle(scope, receive, send)

    def _validate(self, value: Any) -> Any:
        """Return the model of a long body, so that FastAPI does not validate it in the event loop."""
        if self.body_field is None:
            return value
        model, errors = self.body_field.validate(value, {}, loc=("body",))
        if errors:
            raise RequestValidationError(errors, body=None)
        return model


def api_router(*, tags: list[str | Enum]) -> APIRouter:
    """Return a router of API operations."""
    return APIRouter(tags=tags, route_class=BoundedRoute)


class _BoundedRequest(Request):
    """Request whose body is read within a limit and parsed once."""

    def __init__(self, scope: Scope, receive: Receive, limit: BodyLimit, take: Callable[[int], None]) -> None:
        super().__init__(scope, receive)
        self._limit, self._take = limit, take
        self._bytes: bytes | None = None
        self._parsed: Any = None

    async def body(self) -> bytes:
        """Return the body; raise BodyTooLong, BodyTimeout or Overloaded."""
        if self._bytes is None:
            self._bytes = await bodies.read_body(self.receive, self._limit, take=self._take)
        return self._bytes

    async def json(self) -> Any:
        """Return what `parse` found."""
        return self._parsed

    async def parse(self, validate: Callable[[Any], Any]) -> None:
        """Read and parse the body; a long one in another thread, where it is also validated."""
        body = await self.body()
        bodies.check_media_type(self.method, self.headers, bool(body))
        if len(body) <= DEFAULT_LIMIT.max_bytes:
            self._parsed = bodies.parse_strict(body, self._limit.max_nodes) if body else None
        else:
            self._parsed = await run_in_threadpool(lambda: validate(bodies.parse_strict(body, self._limit.max_nodes)))


async def _authenticate(request: Request, requirements: tuple[Requires, ...]) -> str:
    """Return whose limits the request counts for."""
    state = request.app.state
    owner = ""
    for requirement in requirements:
        caller = await run_in_threadpool(requirement.check, request, state.database, state.settings)
        requirement.note(request, caller)
        owner = owner_of(caller, request)
    return owner


def _check_query(request: Request, known: frozenset[str]) -> None:
    """Refuse an unknown query parameter: ignored, a misspelled filter would return an answer to another question."""
    for name in request.query_params:
        if name not in known:
            raise InvalidRequest(
                f"The address has the parameter {name[:80]!r}, which does not exist here.",
                remedy=f"Expected: {', '.join(sorted(known))}." if known else "Expected: no parameter.",
                field=name[:80],
            )


def _query_names(dependant: Dependant) -> Iterator[str]:
    for one in dependant.query_params:
        model = one.field_info.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            yield from (field.alias or name for name, field in model.model_fields.items())
        else:
            yield one.alias
    for dependency in dependant.dependencies:
        yield from _query_names(dependency)


def _requirements(dependant: Dependant) -> Iterator[Requires]:
    for dependency in dependant.dependencies:
        if isinstance(dependency.call, Requires):
            yield dependency.call
        yield from _requirements(dependency)
