"""Watching a run: server-sent events, shown as a bar with rate and time left; outlives a restart of the service."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from orchestrator.cli.client import APIClient
from orchestrator.cli.states import shown_state
from orchestrator.errors import Unavailable, Unreachable
from orchestrator.units import format_duration_ns, format_throughput

ENDED = ("finished", "cancelled", "failed")
_LOOK_SECONDS = 3.0
"""Between looks at the run itself: a silent agent sends no events."""
_RETRY_SECONDS = 1.0


@dataclass(frozen=True)
class ServerEvent:
    """One message of the stream; a comment has neither kind nor data."""

    kind: str = ""
    data: str = ""
    event_id: str | None = None


def parse_events(lines: Iterator[str]) -> Iterator[ServerEvent]:
    """Yield the events of a text/event-stream (HTML Living Standard, section 9.2.6); a comment is an empty event."""
    kind, event_id, data = "", None, list[str]()
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if line.startswith(":"):
            yield ServerEvent()
        elif name == "event":
            kind = value
        elif name == "id":
            event_id = value
        elif name == "data":
            data.append(value)
        elif not line:
            if data:
                yield ServerEvent(kind, "\n".join(data), event_id)
            kind, data = "", []


def _nothing() -> None:
    """Do nothing beside watching."""


def watch(client: APIClient, run_id: str, console: Console, meanwhile: Callable[[], None] = _nothing) -> dict[str, Any]:
    """Show a run until it has ended; return it. Raises NotFound for an unknown one.

    meanwhile: called with every event, at least each few seconds.
    """
    run: dict[str, Any] = client.get(f"/runs/{run_id}")
    with _bar(console) as bar:
        shown = _Shown(bar, run)
        last_event_id: str | None = None
        while run["state"] not in ENDED:
            try:
                for event in _listen(client, run_id, last_event_id):
                    last_event_id = event.event_id or last_event_id
                    meanwhile()
                    shown.take(event)
                    if shown.is_time_to_look():
                        shown.look(client.get(f"/runs/{run_id}"))
                run = client.get(f"/runs/{run_id}")
                shown.look(run)
            except (Unreachable, Unavailable):
                shown.say("the service does not answer; waiting for it")
                meanwhile()
                time.sleep(_RETRY_SECONDS)
    return run


def _listen(client: APIClient, run_id: str, last_event_id: str | None) -> Iterator[ServerEvent]:
    headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
    with client.stream(f"/runs/{run_id}/events", headers) as response:
        yield from parse_events(response.iter_lines())


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=16),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        console=console,
    )


class _Shown:
    """The bar of one run."""

    def __init__(self, bar: Progress, run: dict[str, Any]) -> None:
        self._bar = bar
        self._task = bar.add_task(run["name"], total=run["executions_total"], rate="")
        self._name = str(run["name"])
        self._looked = 0.0
        self.look(run)

    def take(self, event: ServerEvent) -> None:
        """Show one event."""
        if event.kind == "progress":
            self._progress(json.loads(event.data))
        elif event.kind == "run-state":
            self.say(str(json.loads(event.data).get("state", "")))

    def is_time_to_look(self) -> bool:
        """Tell whether the run itself was last looked at some seconds ago."""
        return time.monotonic() - self._looked > _LOOK_SECONDS

    def look(self, run: dict[str, Any]) -> None:
        """Show the run as it is."""
        self._looked = time.monotonic()
        self._progress(run["progress"])
        self.say(shown_state(run) + _precise(run["precision"]))

    def say(self, state: str) -> None:
        """Show what the run is doing."""
        self._bar.update(self._task, description=f"{self._name} {state}"[:60])

    def _progress(self, progress: dict[str, Any]) -> None:
        if "done" in progress:
            self._bar.update(self._task, completed=progress["done"], total=progress["total"], rate=_rate(progress))


def _precise(precision: dict[str, Any] | None) -> str:
    """Return how many cases are precise enough, where the plan asks for a precision."""
    if precision is None:
        return ""
    cases = sum(precision[name] for name in ("open", "reached", "maximum", "budget", "failing", "lost"))
    return f", {precision['reached']} of {cases} precise" if cases else ""


def _rate(progress: dict[str, Any]) -> str:
    parts = []
    if (rate := progress.get("executions_per_second")) is not None:
        parts.append(f"{rate:.3g}/s")
    if (throughput := progress.get("input_bytes_per_second")) is not None:
        parts.append(format_throughput(throughput))
    if (left := progress.get("seconds_left")) is not None:
        parts.append(f"{format_duration_ns(left * 1e9)} left")
    return " ".join(parts)
