"""The response of an event stream: it opens the stream when it is sent, and closes it with the connection."""

from collections.abc import Hashable
from dataclasses import dataclass

from fastapi import Response
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Receive, Scope, Send

from orchestrator.service.events.hub import Hub
from orchestrator.service.problems import ProblemResponse
from orchestrator.shared.errors import CiphermarkError

HEARTBEAT_SECONDS = 10
"""Seconds between messages on a quiet connection; they keep clients and proxies from closing it."""


@dataclass(frozen=True)
class Listener:
    """A client that requests a stream."""

    run_id: str | None
    """None: all runs."""
    last_id: int | None
    """Id of the last event that it received."""
    owner: Hashable
    """Whose limit the stream counts for: a token, a session or an address."""
    caller: Hashable


class EventStream(Response):
    """Response that streams the events of a run, or of all; 429 or 503 beyond the limits of the hub."""

    def __init__(self, hub: Hub, listener: Listener) -> None:
        """Prepare; the stream is opened when the response is sent."""
        super().__init__()
        self._hub = hub
        self._listener = listener

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream until its run ends, its caller is revoked or the client disconnects."""
        listener = self._listener
        try:
            subscription = self._hub.subscribe(listener.run_id, listener.owner, listener.caller)
        except CiphermarkError as error:
            await ProblemResponse.of_error(error, str(scope["path"]))(scope, receive, send)
            return
        try:
            stream = EventSourceResponse(
                self._hub.stream(subscription, listener.last_id),
                ping=HEARTBEAT_SECONDS,
                ping_message_factory=lambda: ServerSentEvent(event="heartbeat", data=""),
            )
            await stream(scope, receive, send)
        finally:
            self._hub.unsubscribe(subscription)
