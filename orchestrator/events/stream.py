"""Server-sent events: what happens in one run, or everywhere, as it happens.

Every connection reads the events table after the last event it sent, so that nothing is missed when it comes back with
Last-Event-ID, also after a restart of the service. Progress is computed when it is sent, not when it is noted.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from sse_starlette import ServerSentEvent
from starlette.concurrency import run_in_threadpool

from orchestrator.database.engine import Database
from orchestrator.database.models import Event
from orchestrator.events import repository as events
from orchestrator.runs import repository
from orchestrator.runs.progress import measure_progress
from orchestrator.runs.state import ENDED_RUNS

POLL_SECONDS = 0.4
HEARTBEAT_SECONDS = 10
"""Between comments on a quiet connection, so that both ends and every proxy know that it lives."""


@dataclass
class Listener:
    """One connection's place in the stream of events."""

    database: Database
    run_id: str | None
    """None: all runs."""
    last_id: int | None
    """The last event that this listener has; None: it is new, and begins with the present state."""
    _ended: bool = field(default=False, init=False)

    def has_missed_nothing(self) -> bool:
        """Tell whether the run has ended and this listener knows it: it need not come back (204)."""
        if self.run_id is None or self.last_id is None:
            return False
        with self.database.read() as session:
            run = repository.get_run(session, self.run_id)
            return run is not None and run.state in ENDED_RUNS and not events.after(session, self.last_id, self.run_id)

    async def stream(self) -> AsyncIterator[ServerSentEvent]:
        """Yield events as they happen; ends when the run has ended."""
        while True:
            for message in await run_in_threadpool(self._poll):
                yield message
            if self._ended:
                return
            await asyncio.sleep(POLL_SECONDS)

    def _poll(self) -> list[ServerSentEvent]:
        with self.database.read() as session:
            if self.last_id is None:
                # The state is read after the number: an event in between is sent once more, never lost.
                self.last_id = events.last_id(session)
                return self._present_state()
            happened = events.after(session, self.last_id, self.run_id)
        if happened:
            self.last_id = happened[-1].id
        messages = [self._message(event) for event in _latest_progress_only(happened)]
        if self.run_id is not None and not happened:
            self._ended = self._has_ended(self.run_id)
        return messages

    def _present_state(self) -> list[ServerSentEvent]:
        if self.run_id is None:
            return []
        with self.database.read() as session:
            run = repository.get_run(session, self.run_id)
        if run is None:
            return []
        state = {"run_id": run.id, "state": run.state, "reason": run.reason}
        return [
            ServerSentEvent(json.dumps(state), event="run-state", id=str(self.last_id)),
            ServerSentEvent(json.dumps(self._progress(run.id)), event="progress", id=str(self.last_id)),
        ]

    def _message(self, event: Event) -> ServerSentEvent:
        data = {"run_id": event.run_id, "agent_id": event.agent_id, "at": event.at.isoformat(), **event.data}
        if event.kind == "progress" and event.run_id is not None:
            data |= self._progress(event.run_id)
        return ServerSentEvent(json.dumps(data), event=event.kind, id=str(event.id))

    def _progress(self, run_id: str) -> dict[str, object]:
        with self.database.read() as session:
            run = repository.get_run(session, run_id)
            if run is None:
                return {"run_id": run_id}
            return {"run_id": run_id, **measure_progress(session, run)[0].model_dump()}

    def _has_ended(self, run_id: str) -> bool:
        with self.database.read() as session:
            run = repository.get_run(session, run_id)
        return run is None or run.state in ENDED_RUNS


def _latest_progress_only(happened: list[Event]) -> list[Event]:
    """Leave out progress that a later one of the same run overtakes."""
    latest = {event.run_id: event.id for event in happened if event.kind == "progress"}
    return [event for event in happened if event.kind != "progress" or latest[event.run_id] == event.id]
