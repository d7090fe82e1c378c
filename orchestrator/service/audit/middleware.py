"""Recording of requests: what the routing, the authentication and the response know about each of them."""

import json
from collections.abc import Mapping
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator.service.audit.actions import ACTIONS, Action
from orchestrator.service.audit.entries import AuditedAction
from orchestrator.service.audit.recorder import AuditRecorder
from orchestrator.service.problems import refusal_of
from orchestrator.service.security.guard import sender_of

_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_NOT_ROUTED = "request"
"""Action of a request that was refused before it was routed, by its Origin."""


class AuditLog:
    """ASGI middleware that records refusals, and what `ACTIONS` declares, before the response is sent."""

    def __init__(self, app: ASGIApp, recorder: AuditRecorder) -> None:
        """Wrap an application."""
        self._app = app
        self._recorder = recorder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application with a `send` that records."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        held: list[Message] = []

        async def _send(message: Message) -> None:
            if message["type"] == "http.response.start":
                if _names_its_object(scope, message["status"]):
                    held.append(message)
                    return
                await self._record(scope, message["status"])
            elif held:
                start = held.pop()
                await self._record(scope, start["status"], message.get("body", b""))
                await send(start)
            await send(message)

        await self._app(scope, receive, _send)

    async def _record(self, scope: Scope, status: int, body: bytes = b"") -> None:
        entry = _entry_of(scope, status, body)
        if entry is not None:
            await run_in_threadpool(self._recorder.record, entry)


def _operation(scope: Scope) -> str:
    """Return the name of the endpoint's function; empty for a request that was not routed."""
    return getattr(scope.get("endpoint"), "__name__", "")


def _names_its_object(scope: Scope, status: int) -> bool:
    """Return whether the body of the response has the id of the entry's object."""
    action = ACTIONS.get(_operation(scope))
    return action is not None and bool(action.created) and status < HTTPStatus.MULTIPLE_CHOICES


def _entry_of(scope: Scope, status: int, body: bytes) -> AuditedAction | None:
    """Return the entry of a response; None: it is not recorded."""
    operation, caller = _operation(scope), sender_of(scope)
    declared = ACTIONS.get(operation)
    is_refused = status in _REFUSED
    # What succeeds for a client without credentials is the login form and a logout without a session.
    if not is_refused and (declared is None or status >= HTTPStatus.BAD_REQUEST or caller is None):
        return None
    client = scope.get("client")
    return AuditedAction(
        declared.name if declared else operation.replace("_", "-") or _NOT_ROUTED,
        caller=caller,
        object_id=_object_id(scope, declared, body),
        reason=refusal_of(scope) or HTTPStatus(status).phrase if is_refused else None,
        address=client[0] if client else None,
        is_declared=declared is not None,
    )


def _object_id(scope: Scope, declared: Action | None, body: bytes) -> str | None:
    parameters: Mapping[str, object] = scope.get("path_params", {})
    if declared is None:
        return str(scope["path"]) if parameters else None
    if body and declared.created:
        created: Mapping[str, object] = json.loads(body)
        return str(created[declared.created])
    found = parameters.get(declared.parameter)
    return None if found is None else str(found)
