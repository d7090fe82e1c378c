"""Limits on request bodies: maximum size, and strict JSON.

Duplicate keys, deep nesting, numbers with thousands of digits and NaN are refused before an endpoint receives the body.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator.errors import InvalidRequest
from orchestrator.problems import ProblemResponse, describe, plain

MAX_DEPTH = 32
MAX_DIGITS = 40
MAX_BODY_BYTES = 64 * 1024 * 1024
"""Default limit; a full batch of records with their curves is smaller."""
DISCARD_BYTES = 64 * 1024 * 1024
DISCARD_SECONDS = 2.0
"""Bytes and time for which the rest of a body that is too long is read and discarded before the refusal is sent."""

_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})
FORM_PATHS = frozenset({"/login", "/logout", "/agents/add"})
"""Paths that accept HTML forms, which work without JavaScript. The Origin of these requests is checked, too."""


@dataclass(frozen=True)
class BodyLimit:
    """Maximum size of the bodies of all paths with a prefix."""

    prefix: str
    max_bytes: int


def parse_strict(text: bytes | str) -> Any:
    """Return the value of a JSON text; raise InvalidRequest with the reason if it is not strict, bounded JSON."""
    try:
        value = json.loads(
            text, object_pairs_hook=_unique_keys, parse_int=_bounded_int, parse_constant=_refuse_constant
        )
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:  # JSONDecodeError and UnicodeDecodeError are both.
        raise InvalidRequest(
            f"The body is not valid JSON: {error}.", remedy="Send a JSON object.", field="body"
        ) from None
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise _too_deep()
        level = [child for node in level for child in _children(node) if type(child) in (dict, list)]
    return value


def _children(node: Any) -> Any:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()


def _too_deep() -> InvalidRequest:
    return InvalidRequest(
        f"The JSON is nested too deeply; {MAX_DEPTH} levels are allowed.",
        remedy="Send a flatter document.",
        field="body",
    )


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidRequest(
            f"The key {twice[:100]!r} occurs twice in one object.", remedy="Remove one of them.", field=twice[:100]
        )
    return found


def _bounded_int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise InvalidRequest(
            f"A number has {len(digits)} digits; {MAX_DIGITS} are allowed.",
            remedy="Send a smaller number.",
            field="body",
        )
    return int(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidRequest(f"{name} is not valid JSON.", remedy="Send null if there is no value.", field="body")


class BodyGuard:
    """ASGI middleware that reads the body of each write and refuses all but bounded, strict JSON (413, 415, 422)."""

    def __init__(self, app: ASGIApp, limits: Sequence[BodyLimit] = ()) -> None:
        """Wrap an application. The first limit whose prefix matches the path applies, by default 64 MiB."""
        self._app = app
        self._limits = tuple(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the request, then pass its body to the application as one message."""
        if scope["type"] != "http" or scope["method"] not in _WITH_BODY:
            await self._app(scope, receive, send)
            return
        path = str(scope["path"])
        max_bytes = next((limit.max_bytes for limit in self._limits if path.startswith(limit.prefix)), MAX_BODY_BYTES)
        body = await _read(Headers(scope=scope), receive, max_bytes)
        refusal = _refusal(Headers(scope=scope), path, body, max_bytes)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._app(scope, _Replay(body or b"", receive), send)


async def _read(headers: Headers, receive: Receive, max_bytes: int) -> bytes | None:
    """Return the body, or None if it is longer than max_bytes."""
    announced = headers.get("content-length", "0")
    if not announced.isdecimal() or int(announced[:20]) > max_bytes:
        await _discard(receive)
        return None
    parts: list[bytes] = []
    length_bytes = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        part = message.get("body", b"")
        length_bytes += len(part)
        if length_bytes > max_bytes:
            await _discard(receive)
            return None
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


async def _discard(receive: Receive) -> None:
    """Read the rest of a body that is too long: a client that is cut off sees a reset instead of the refusal."""
    discarded_bytes = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(DISCARD_SECONDS):
            while discarded_bytes < DISCARD_BYTES:
                message = await receive()
                if not message.get("more_body", False):
                    return
                discarded_bytes += len(message.get("body", b""))


def _refusal(headers: Headers, path: str, body: bytes | None, max_bytes: int) -> ProblemResponse | None:
    if body is None:
        detail = f"The body is longer than {max_bytes} bytes, the limit of this path."
        return ProblemResponse.of(
            plain(413, path, detail, "Split the request into smaller ones."), {"Connection": "close"}
        )
    if path in FORM_PATHS:
        return None
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    # A page of another site can make a browser post a form here, but neither application/json nor a bearer token.
    if media_type != "application/json" and (body or "authorization" not in headers):
        detail = f"The body must be application/json, seen: {media_type[:100]!r}."
        return ProblemResponse.of(plain(415, path, detail, "Send 'Content-Type: application/json'."))
    try:
        if body:
            parse_strict(body)
    except InvalidRequest as error:
        return ProblemResponse.of(describe(error, path))
    return None


class _Replay:
    """ASGI receive channel that returns the body that was already read, then the messages after it."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}
