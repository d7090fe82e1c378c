"""Request bodies: bounded, JSON, and JSON that means one thing.

Duplicate keys, nesting without end, numbers of thousands of digits and NaN are refused before any endpoint sees them.
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
"""A full batch of records with their curves stays below it."""
DISCARD_BYTES = 64 * 1024 * 1024
DISCARD_SECONDS = 2.0
"""Of a body that is too long, so much is read and thrown away before the refusal is sent."""

_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})
FORM_PATHS = frozenset({"/login", "/logout"})
"""The only forms: a browser without scripts logs in. Their Origin is checked like every other."""


@dataclass(frozen=True)
class BodyLimit:
    """The largest body under a path."""

    prefix: str
    max_bytes: int


def parse_strict(text: bytes | str) -> Any:
    """Return the value of a JSON text; raise InvalidRequest with the reason where it is not plain, bounded JSON."""
    try:
        value = json.loads(
            text, object_pairs_hook=_unique_keys, parse_int=_bounded_int, parse_constant=_refuse_constant
        )
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:  # JSONDecodeError and UnicodeDecodeError are both.
        raise InvalidRequest(f"The body is not JSON: {error}.", remedy="Send a JSON object.", field="body") from None
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
        f"The JSON is nested too deeply, allowed are {MAX_DEPTH} levels.", remedy="Flatten it.", field="body"
    )


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidRequest(
            f"The key {twice[:100]!r} stands twice in one object.", remedy="Keep one of them.", field=twice[:100]
        )
    return found


def _bounded_int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise InvalidRequest(
            f"A number of {len(digits)} digits, allowed are {MAX_DIGITS}.", remedy="Send a smaller one.", field="body"
        )
    return int(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidRequest(f"{name} is not JSON.", remedy="Send null where there is no value.", field="body")


class BodyGuard:
    """Reads the body of each write, within its limit, and lets only strict JSON pass (413, 415, 422)."""

    def __init__(self, app: ASGIApp, limits: Sequence[BodyLimit] = ()) -> None:
        """Stand in front of this application; the first limit whose prefix fits counts, else 64 MiB."""
        self._app = app
        self._limits = tuple(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then pass the body on as one message."""
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
    """Return the body, or None where it is longer than it may be."""
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
    """Let a client that sends too much go on for a while: one that is cut off reads a reset, not our refusal."""
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
        detail = f"The body is longer than the {max_bytes} bytes that are allowed here."
        return ProblemResponse.of(plain(413, path, detail, "Send less at a time."), {"Connection": "close"})
    if path in FORM_PATHS:
        return None
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    # A browser sends a simple form anywhere without asking; it cannot send application/json, nor our bearer.
    if media_type != "application/json" and (body or "authorization" not in headers):
        detail = f"Writes are application/json, seen: {media_type[:100]!r}."
        return ProblemResponse.of(plain(415, path, detail, "Send 'Content-Type: application/json'."))
    try:
        if body:
            parse_strict(body)
    except InvalidRequest as error:
        return ProblemResponse.of(describe(error, path))
    return None


class _Replay:
    """Gives the body that was read already, then whatever comes after it (the client's disconnect)."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}
