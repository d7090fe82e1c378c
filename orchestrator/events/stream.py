"""Server-sent events: the event log of one run, or of all, streamed to a client.

Each connection reads the event log after the last event that it sent. A client that reconnects with Last-Event-ID
therefore misses nothing, even after a restart of the service. Progress is computed when it is sent.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session
from sse_starlette import ServerSentEvent
from starlette.concurrency import run_in_threadpool

from orchestrator.database.engine import Database
from orchestrator.database.models import Event
from orchestrator.events import repository

POLL_SECONDS = 0.4
HEARTBEAT_SECONDS = 10
"""Seconds between comments on a quiet connection; they keep clients and proxies from closing it."""


@dataclass(frozen=True)
class RunStatus:
    """State of a run at one moment."""

    state: str
    reason: str
    has_ended: bool


@dataclass(frozen=True)
class RunReader:
    """Reads what the stream sends about a run, by its id; both functions return None for an unknown run."""

    status: Callable[[Session, str], RunStatus | None]
    progress: Callable[[Session, str], dict[str, Any] | None]


@dataclass
class Listener:
    """The position of one connection in the event log."""

    database: Database
    runs: RunReader
    run_id: str | None
    """None: all runs."""
    last_id: int | None
    """Id of the last event the client received; None for a new client, which receives the present state first."""
    _ended: bool = field(default=False, init=False)

    def has_received_everything(self) -> bool:
        """Return whether the run has ended and the client knows it; such a client need not reconnect (204)."""
        if self.run_id is None or self.last_id is None:
            return False
        with self.database.read() as session:
            status = self.runs.status(session, self.run_id)
            has_ended = status is not None and status.has_ended
            return has_ended and not repository.after(session, self.last_id, self.run_id)

    async def stream(self) -> AsyncIterator[ServerSentEvent]:
        """Yield events as they are written, until the run ends."""
        while True:
            for message in await run_in_threadpool(self._poll):
                yield message
            if self._ended:
                return
            await asyncio.sleep(POLL_SECONDS)

    def _poll(self) -> list[ServerSentEvent]:
        with self.database.read() as session:
            if self.last_id is None:
                # The id is read before the state: an event in between is sent twice, never lost.
                self.last_id = repository.last_id(session)
                return self._present_state()
            new_events = repository.after(session, self.last_id, self.run_id)
        if new_events:
            self.last_id = new_events[-1].id
        messages = [self._message(event) for event in _latest_progress_only(new_events)]
        if self.run_id is not None and not new_events:
            status = self._status(self.run_id)
            self._ended = status is None or status.has_ended
        return messages

    def _present_state(self) -> list[ServerSentEvent]:
        status = None if self.run_id is None else self._status(self.run_id)
        if self.run_id is None or status is None:
            return []
        state = {"run_id": self.run_id, "state": status.state, "reason": status.reason}
        progress = {"run_id": self.run_id, **self._progress(self.run_id)}
        return [
            ServerSentEvent(json.dumps(state), event="run-state", id=str(self.last_id)),
            ServerSentEvent(json.dumps(progress), event="progress", id=str(self.last_id)),
        ]

    def _message(self, event: Event) -> ServerSentEvent:
        data = {"run_id": event.run_id, "agent_id": event.agent_id, "at": event.at.isoformat(), **event.data}
        if event.kind == "progress" and event.run_id is not None:
            data |= self._progress(event.run_id)
        return ServerSentEvent(json.dumps(data), event=event.kind, id=str(event.id))

    def _status(self, run_id: str) -> RunStatus | None:
        with self.database.read() as session:
            return self.runs.status(session, run_id)

    def _progress(self, run_id: str) -> dict[str, Any]:
        with self.database.read() as session:
            return self.runs.progress(session, run_id) or {}


def _latest_progress_only(events: list[Event]) -> list[Event]:
    """Return the events without progress that a later event of the same run supersedes."""
    latest = {event.run_id: event.id for event in events if event.kind == "progress"}
    return [event for event in events if event.kind != "progress" or latest[event.run_id] == event.id]
