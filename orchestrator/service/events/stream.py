"""Server-sent events: what the event log of one run, or of all, sends to a client.

A client that reconnects with Last-Event-ID misses nothing, even after a restart of the service. Progress is computed
when it is sent.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session
from sse_starlette import ServerSentEvent

from orchestrator.database.models import Event
from orchestrator.service.events import repository

PAGE_EVENTS = 500


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

    def has_ended(self, session: Session, run_id: str) -> bool:
        """Return whether a run has ended, or is unknown."""
        status = self.status(session, run_id)
        return status is None or status.has_ended


@dataclass(frozen=True, slots=True)
class StreamMessage:
    """One event as it is sent to every client that receives it."""

    event_id: int
    run_id: str | None
    data: bytes


def messages_after(
    session: Session, runs: RunReader, event_id: int, run_ids: Collection[str] | None
) -> tuple[list[StreamMessage], int, bool]:
    """Return the next messages, the id of the last event among them, and whether more events wait.

    run_ids: the only runs for which a message is made; None: all.
    """
    only = next(iter(run_ids)) if run_ids is not None and len(run_ids) == 1 else None
    found = repository.after(session, event_id, only, PAGE_EVENTS)
    last_id = found[-1].id if found else event_id
    sent = [event for event in _latest_progress_only(found) if run_ids is None or event.run_id in run_ids]
    return [_message(session, runs, event) for event in sent], last_id, len(found) == PAGE_EVENTS


def present_state(session: Session, runs: RunReader, run_id: str | None) -> tuple[list[StreamMessage], int]:
    """Return what a new client receives first, and the id of the last event before it."""
    # The id is read before the state: an event in between is sent twice, never lost.
    last_id = repository.last_id(session)
    status = None if run_id is None else runs.status(session, run_id)
    if run_id is None or status is None:
        return [], last_id
    state = {"run_id": run_id, "state": status.state, "reason": status.reason}
    progress = {"run_id": run_id, **(runs.progress(session, run_id) or {})}
    return [_encoded("run-state", last_id, run_id, state), _encoded("progress", last_id, run_id, progress)], last_id


def has_received_everything(session: Session, runs: RunReader, run_id: str, last_id: int | None) -> bool:
    """Return whether the run has ended and the client knows it; such a client need not reconnect (204)."""
    if last_id is None:
        return False
    status = runs.status(session, run_id)
    has_ended = status is not None and status.has_ended
    return has_ended and not repository.after(session, last_id, run_id, 1)


def _message(session: Session, runs: RunReader, event: Event) -> StreamMessage:
    data = {"run_id": event.run_id, "agent_id": event.agent_id, "at": event.at.isoformat(), **event.data}
    if event.kind == "progress" and event.run_id is not None:
        data |= runs.progress(session, event.run_id) or {}
    return _encoded(event.kind, event.id, event.run_id, data)


def _encoded(kind: str, event_id: int, run_id: str | None, data: dict[str, Any]) -> StreamMessage:
    return StreamMessage(event_id, run_id, ServerSentEvent(json.dumps(data), event=kind, id=str(event_id)).encode())


def _latest_progress_only(events: Sequence[Event]) -> Iterator[Event]:
    """Yield the events without progress that a later event of the same run supersedes."""
    latest = {event.run_id: event.id for event in events if event.kind == "progress"}
    return (event for event in events if event.kind != "progress" or latest[event.run_id] == event.id)
