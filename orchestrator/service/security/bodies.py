"""Request bodies: read within limits of size and time, and parsed once, as strict and bounded JSON.

A body is read after its sender was authenticated. Duplicate keys, deep nesting, numbers with thousands of digits and
NaN are refused. Nodes and depth are counted in the bytes, before any object is built.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from orchestrator.shared.errors import BodyTimeout, BodyTooLong, InvalidRequest, MediaTypeRefused
from orchestrator.shared.units import KIB, MIB
from orchestrator.wire.records import MAX_RECORD_BYTES

MAX_DEPTH = 32
MAX_DIGITS = 40

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class BodyTimes:
    """Time limits for the arrival of a body."""

    stall_seconds: float = 10.0
    """Between two parts."""
    total_seconds: float = 60.0
    """From the first to the last part."""


@dataclass(frozen=True)
class BodyLimit:
    """Limits on the bodies of an operation."""

    max_bytes: int
    max_nodes: int
    """Values and keys of a JSON document."""


DEFAULT_LIMIT = BodyLimit(64 * KIB, 20_000)
PLAN_LIMIT = BodyLimit(2 * MIB + 4 * KIB, 200_000)
"""A plan of 1 MiB as a JSON string, with the escapes that a text has."""
REPORT_LIMIT = BodyLimit(2 * MIB, 100_000)
"""Limit of reports of a daemon that list every implementation: six providers list 400 KiB."""
RECORDS_LIMIT = BodyLimit(MAX_RECORD_BYTES, MAX_RECORD_BYTES // 4)
"""The longest record; a daemon sends shorter records together, up to fewer bytes."""
FORM_LIMIT = BodyLimit(4 * KIB, 0)
PLAN_FORM_LIMIT = BodyLimit(2 * MIB, 0)
"""Limit of a form with the text of a plan."""

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


def body_limit(limit: BodyLimit) -> Callable[[Endpoint], Endpoint]:
    """Return a decorator that gives an endpoint other limits than `DEFAULT_LIMIT`, or `FORM_LIMIT` of a page."""

    def _mark(endpoint: Endpoint) -> Endpoint:
        endpoint.__body_limit__ = limit  # type: ignore[attr-defined]
        return endpoint

    return _mark


def limit_of(endpoint: Callable[..., Any], default: BodyLimit = DEFAULT_LIMIT) -> BodyLimit:
    """Return the limits on the bodies of an endpoint; default: those of an endpoint that declares none."""
    found: BodyLimit = getattr(endpoint, "__body_limit__", default)
    return found


def announced_bytes(headers: Mapping[str, str], limit: BodyLimit) -> int | None:
    """Return the Content-Length, None without one; raise BodyTooLong if it is beyond the limit or not a number."""
    text = headers.get("content-length")
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal()) or len(text) > 20 or int(text) > limit.max_bytes:
        raise _too_long(limit)
    return int(text)


def _no_budget(_part_bytes: int) -> None:
    """Take nothing from a budget."""


async def read_body(
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
    limit: BodyLimit,
    times: BodyTimes = BodyTimes(),
    take: Callable[[int], None] = _no_budget,
) -> bytes:
    """Return the body of a request. A disconnected client's body ends where it is.

    take: called with the length of each part (see server.admission.BodyBudget). Raises BodyTooLong, BodyTimeout, and
    Overloaded.
    """
    parts: list[bytes] = []
    length_bytes = 0
    try:
        async with asyncio.timeout(times.total_seconds):
            while True:
                async with asyncio.timeout(times.stall_seconds):
                    message = await receive()
                if message["type"] == "http.disconnect":
                    return b"".join(parts)
                part = message.get("body", b"")
                length_bytes += len(part)
                if length_bytes > limit.max_bytes:
                    raise _too_long(limit)
                take(len(part))
                parts.append(part)
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        raise BodyTimeout(
            f"The body did not arrive: {length_bytes} bytes within {times.stall_seconds:g} s since the last part, or "
            f"{times.total_seconds:g} s in total.",
            remedy="Send the request again, on a better connection or with a shorter body.",
        ) from None


def _too_long(limit: BodyLimit) -> BodyTooLong:
    return BodyTooLong(
        f"The body is longer than {limit.max_bytes} bytes, the limit of this path.",
        remedy="Split the request into smaller ones.",
    )


def check_media_type(method: str, headers: Mapping[str, str], has_body: bool) -> None:
    """Raise MediaTypeRefused for what a page of another site can make a browser send.

    Such a page can post a form here, but neither application/json nor a bearer token nor another method.
    """
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and (has_body or (method == "POST" and "authorization" not in headers)):
        raise MediaTypeRefused(
            f"The body must be application/json, seen: {media_type[:100]!r}.",
            remedy="Send 'Content-Type: application/json'.",
        )


_STRING = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?', re.DOTALL)
"""A JSON string, or the rest of a text that ends in one; it never backtracks."""
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def check_size_of(text: bytes, max_nodes: int) -> None:
    """Raise InvalidRequest if a JSON text has too many nodes or levels; nothing is built.

    Every node except the first has a comma, a colon or an opening bracket before it. For valid JSON the count is at
    most two for each value; text that is not JSON is found by the parser.
    """
    if _count_nodes(text) <= max_nodes and text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return
    structure = _STRING.sub(b"", text)
    nodes = _count_nodes(structure)
    if nodes > max_nodes:
        raise InvalidRequest(
            f"The JSON has about {nodes} values; {max_nodes} are allowed.",
            remedy="Send it in several requests.",
            field="body",
        )
    depth = 0
    for bracket in structure.translate(None, _NOT_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > MAX_DEPTH:
            raise _too_deep()


def _count_nodes(text: bytes) -> int:
    return sum(text.count(mark) for mark in (b",", b":", b"[", b"{")) + 1


def parse_strict(text: bytes | str, max_nodes: int = PLAN_LIMIT.max_nodes, subject: str = "body") -> Any:
    """Return the value of a JSON text; raise InvalidRequest with the reason if it is not strict, bounded JSON.

    subject: noun for messages.
    """
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    check_size_of(data, max_nodes)
    try:
        # Of bytes, json.loads would guess the encoding, and accept surrogates in it.
        decoded = text.decode() if isinstance(text, bytes) else text
        value = json.loads(
            decoded, object_pairs_hook=_unique_keys, parse_int=_bounded_int, parse_constant=_refuse_constant
        )
        if _ESCAPED_SURROGATE.search(decoded):
            # Two escapes can be one character; a lone one is none, and no database, file or response can contain it.
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise _too_deep() from None
    except UnicodeError:
        raise InvalidRequest(
            f"The {subject} is not valid UTF-8, or a text in it contains half of a surrogate pair.",
            remedy="Send UTF-8; escape a character above U+FFFF with both halves of its pair.",
            field="body",
        ) from None
    except ValueError as error:
        raise InvalidRequest(
            f"The {subject} is not valid JSON: {error}.", remedy="Send a JSON object.", field="body"
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
        positions = {name: number for number, (name, _) in enumerate(pairs)}
        twice = next(name for number, (name, _) in enumerate(pairs) if positions[name] != number)
        raise InvalidRequest(
            f"The key {twice[:100]!r} occurs twice in one object.", remedy="Remove one of them.", field=twice[:100]
        )
    return found


def _bounded_int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise InvalidRequest(
            f"A number has {len(digits)} digits; at most {MAX_DIGITS} are allowed.",
            remedy="Send a smaller number.",
            field="body",
        )
    return int(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidRequest(f"{name} is not valid JSON.", remedy="Send null if there is no value.", field="body")
