"""HTTP connections with limits: uvicorn's protocol, which has a time limit for idle connections only."""

import asyncio
import json
import resource
from dataclasses import replace
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from orchestrator.service.problems import MEDIA_TYPE, SAFE_HEADERS, Problem, plain
from orchestrator.service.server.connections import ConnectionLimits, ConnectionTable

SWEEP_SECONDS = 1.0
"""Interval in which the time limits of all connections are checked."""
RETRY_AFTER_SECONDS = 5


class BoundedProtocol(H11Protocol):
    """One connection; `bounded_protocol` makes the class with the table of one server."""

    table: ConnectionTable["BoundedProtocol"]
    limits: ConnectionLimits
    sweep: "_Sweep"

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Prepare a connection, as uvicorn does for each that it accepts."""
        super().__init__(*arguments, **named)
        self._head_since: float | None = None
        """When the connection began, or the first byte of a head arrived that is not complete."""
        self._discard_since: float | None = None
        """When the response to a request was complete whose body is not."""
        self._write_since: float | None = None
        """When the client stopped to read."""
        self._discarded_bytes = 0
        self._refused = self._lingers = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, or refuse it if there are too many and none is idle."""
        super().connection_made(transport)
        self.transport = _ClosingLater(transport, self)  # type: ignore[assignment]
        address = self.client[0] if self.client else "local"
        limit = self.table.full(address)
        if limit is not None:
            replaced = self.table.replaceable(address, limit)
            if replaced is None:
                self._refused = True
                remedy = f"Close other connections, or try again in {RETRY_AFTER_SECONDS} s."
                detail = "The service has too many open connections"
                detail += " of this address." if limit == "address" else "."
                self._send_problem(plain(503, "/", detail, remedy), {"Retry-After": str(RETRY_AFTER_SECONDS)})
                transport.close()
                return
            replaced.close_idle()
        self._head_since = self.loop.time()
        self.table.add(self, address)
        self.sweep.begin(self.loop)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.table.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass data on, unless it belongs to a request that was answered already."""
        if self._refused:
            return
        if self._discard_since is not None:
            self._discarded_bytes += len(data)
            if self._discarded_bytes > self.limits.discard_bytes:
                self.abort()
                return
        if self._lingers:
            return
        super().data_received(data)
        self._note_phase()

    def on_response_complete(self) -> None:
        """Note when a response was complete before its request."""
        if self.conn.their_state is h11.SEND_BODY and self._discard_since is None:
            self._discard_since = self.loop.time()
        super().on_response_complete()
        self._note_phase()

    def pause_writing(self) -> None:
        """Note since when the client does not read."""
        super().pause_writing()
        self._write_since = self.loop.time()

    def resume_writing(self) -> None:
        """Note that the client reads again."""
        super().resume_writing()
        self._write_since = None

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, with a problem."""
        self._send_problem(plain(400, "/", msg, "Send a request of HTTP/1.1."))
        self.transport.close()

    def close_idle(self) -> None:
        """Close a connection without a request, to make room for another one."""
        self.table.remove(self)
        self.transport.close()

    def abort(self) -> None:
        """Close the connection immediately; what is still to be sent is lost."""
        self.table.remove(self)
        self.transport.abort()

    def linger(self, transport: asyncio.Transport) -> bool:
        """Keep an answered connection open for the rest of its request, so that the response is not lost by a reset.

        Returns False if the request is complete, so that the connection can be closed.
        """
        if self.conn.their_state is not h11.SEND_BODY or self._refused:
            return False
        self._lingers = True
        self._discard_since = self._discard_since or self.loop.time()
        if transport.can_write_eof():
            transport.write_eof()
        self.flow.resume_reading()
        return True

    @property
    def lingers(self) -> bool:
        """True if the connection is closed for everything but the rest of its request."""
        return self._lingers

    def check(self, now: float) -> None:
        """Close the connection if one of its time limits has passed."""
        limits = self.limits
        does_not_read = _is_over(self._write_since, limits.write_seconds, now)
        if does_not_read or _is_over(self._discard_since, limits.discard_seconds, now):
            self.abort()
        elif _is_over(self._head_since, limits.head_seconds, now):
            self.table.remove(self)
            if self._has_partial_head():
                detail = f"The headers did not arrive within {limits.head_seconds:g} s."
                self._send_problem(plain(408, "/", detail, "Send the request again."))
            self.transport.close()

    def _has_partial_head(self) -> bool:
        return bool(self.conn.trailing_data[0])

    def _note_phase(self) -> None:
        if self.conn.their_state is not h11.SEND_BODY:
            self._discard_since = None
            self._discarded_bytes = 0
        if self.cycle is not None and not self.cycle.response_complete:
            self._head_since = None
            self.table.set_busy(self)
            return
        self.table.set_idle(self)
        if self.cycle is not None and not self._has_partial_head():
            # Between two requests uvicorn's limit for idle connections applies.
            self._head_since = None
        elif self._head_since is None:
            self._head_since = self.loop.time()

    def _send_problem(self, problem: Problem, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(problem.model_dump(exclude_none=True)).encode()
        every = {"Content-Type": MEDIA_TYPE, "Content-Length": len(body), **SAFE_HEADERS, **(headers or {})}
        lines = [f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in every.items()]
        self.transport.write("\r\n".join([*lines, "Connection: close", "", ""]).encode() + body)


class _ClosingLater:
    """Transport that is closed after the rest of a request has arrived, or after a time limit."""

    def __init__(self, transport: asyncio.Transport, protocol: BoundedProtocol) -> None:
        self._transport = transport
        self._protocol = protocol

    def close(self) -> None:
        if not self.is_closing() and not self._protocol.linger(self._transport):
            self._transport.close()

    def is_closing(self) -> bool:
        return self._protocol.lingers or self._transport.is_closing()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


def bounded_protocol(limits: ConnectionLimits) -> type[BoundedProtocol]:
    """Return the protocol of one server, for ``uvicorn.Config(http=…)``."""
    table: ConnectionTable[BoundedProtocol] = ConnectionTable(limits)
    members = {"limits": limits, "table": table, "sweep": _Sweep(table)}
    return type("BoundedProtocol", (BoundedProtocol,), members)


class _Sweep:
    """Timer that checks every connection of a server while it has some."""

    def __init__(self, table: ConnectionTable[BoundedProtocol]) -> None:
        self._table = table
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is None:
            self._timer = loop.call_later(SWEEP_SECONDS, self._check, loop)

    def _check(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        for connection in self._table.connections():
            connection.check(loop.time())
        if len(self._table):
            self.begin(loop)


def _is_over(since: float | None, seconds: float, now: float) -> bool:
    return since is not None and now - since > seconds


BACKLOG = 512
"""Connections that are accepted in one turn of the event loop."""
OTHER_FILES = 512
"""Open files that are not connections: the database, chunks, programs."""


def connection_limits() -> ConnectionLimits:
    """Raise this process's limit of open files, and return limits of connections that leave room for other files."""
    limits = ConnectionLimits()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = limits.total + OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        files = min(files, hard)
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return within_files(limits, files)


def within_files(limits: ConnectionLimits, files: int) -> ConnectionLimits:
    """Return limits for a process that may have this many open files."""
    total = min(limits.total, max(files - OTHER_FILES, files // 2))
    return replace(limits, total=total, of_address=min(limits.of_address, total))
