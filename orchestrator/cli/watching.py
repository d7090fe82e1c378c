"""Watching a run: server-sent events as a progress bar with rate and time left, across restarts of the service.

Where the output is not a terminal, a plain line is printed at every change of the activity and every 10 s.
"""

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from httpx_sse import EventSource, ServerSentEvent
from rich.console import Console
from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn
from rich.progress import Progress as ProgressBar

from orchestrator.cli.client import APIClient, shaped
from orchestrator.cli.states import state_label
from orchestrator.runs.schemas import PrecisionSummary, Progress, RunDetail
from orchestrator.shared.errors import Unavailable, Unreachable
from orchestrator.shared.units import format_duration_ns, format_throughput

ENDED = ("finished", "cancelled", "failed")
_REFRESH_SECONDS = 3.0
"""Seconds between requests for the run itself: a silent agent causes no events."""
_RETRY_SECONDS = 1.0
LINE_SECONDS = 10.0
"""Interval of plain lines without a change of the activity."""


def watch(client: APIClient, run_id: str, console: Console, on_event: Callable[[], None] = lambda: None) -> RunDetail:
    """Show a run until it ends and return it. Raises NotFound for an unknown run.

    Ctrl-C ends only the command, which reports how to cancel the run. on_event: called for every event, at least once
    per heartbeat of the service.
    """
    try:
        return _watch(client, run_id, console, on_event)
    except KeyboardInterrupt:
        console.print(f"Run {run_id} continues. Cancel it: ciphermark runs cancel {run_id}", markup=False)
        raise


def _watch(client: APIClient, run_id: str, console: Console, on_event: Callable[[], None]) -> RunDetail:
    def present() -> RunDetail:
        return shaped(RunDetail, client.get(f"/runs/{run_id}"))

    run = present()
    with _display(console, run) as display:
        shown = _Shown(display, run)
        last_event_id: str | None = None
        while run.state not in ENDED:
            try:
                for event in _listen(client, run_id, last_event_id):
                    last_event_id = event.id or last_event_id
                    on_event()
                    shown.take(event)
                    if shown.is_refresh_due():
                        shown.refresh(present())
                run = present()
                shown.refresh(run)
            except (Unreachable, Unavailable):
                shown.describe("the service does not answer; waiting for it")
                on_event()
                time.sleep(_RETRY_SECONDS)
    return run


def _listen(client: APIClient, run_id: str, last_event_id: str | None) -> Iterator[ServerSentEvent]:
    headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
    with client.stream(f"/runs/{run_id}/events", headers) as response:
        # 204: the run has ended and its last event was received.
        if response.status_code != HTTPStatus.NO_CONTENT:
            yield from EventSource(response).iter_sse()


class _Display(Protocol):
    """Shows the progress of one run."""

    def show(self, description: str, done: int, total: int, rate: str) -> None:
        """Show the present progress."""


@contextmanager
def _display(console: Console, run: RunDetail) -> Iterator[_Display]:
    if not console.is_terminal:
        yield Lines(lambda text: console.print(text, markup=False, soft_wrap=True))
        return
    with ProgressBar(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=16),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        console=console,
    ) as bar:
        yield _Bar(bar, bar.add_task(run.name, total=run.executions_total, rate=""))


@dataclass(frozen=True)
class _Bar:
    """Progress bar of a terminal."""

    bar: ProgressBar
    task: TaskID

    def show(self, description: str, done: int, total: int, rate: str) -> None:
        """Update the bar."""
        self.bar.update(self.task, description=description[:60], completed=done, total=total, rate=rate)


class Lines:
    """Plain lines: one at every change of the description, and one every `LINE_SECONDS`."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        """Write lines. clock: monotonic, in seconds."""
        self._write = write
        self._clock = clock
        self._description = ""
        self._next_at = -math.inf

    def show(self, description: str, done: int, total: int, rate: str) -> None:
        """Write a line if one is due."""
        now = self._clock()
        if description == self._description and now < self._next_at:
            return
        self._description, self._next_at = description, now + LINE_SECONDS
        percent = 100 * done / total if total else 0
        parts = [description, f"{done} of {total} ({percent:.0f} %)", rate]
        self._write(", ".join(part for part in parts if part))


class _Shown:
    """State and progress of one run."""

    def __init__(self, display: _Display, run: RunDetail) -> None:
        self._display = display
        self._name = run.name
        self._state, self._rate = "", ""
        self._done, self._total = 0, run.executions_total
        self._refreshed = 0.0
        self.refresh(run)

    def take(self, event: ServerSentEvent) -> None:
        """Show one event."""
        if event.event == "progress":
            data = json.loads(event.data)
            if "done" in data:  # the run may have been deleted
                self._progress(shaped(Progress, data))
            self._show()
        elif event.event == "run-state":
            # Requested with the next event: the event has the state only, and not what the run does.
            self._refreshed = 0.0

    def is_refresh_due(self) -> bool:
        """Return whether the run itself was last requested more than `_REFRESH_SECONDS` ago."""
        return time.monotonic() - self._refreshed > _REFRESH_SECONDS

    def refresh(self, run: RunDetail) -> None:
        """Show the present state of the run."""
        self._refreshed = time.monotonic()
        self._progress(run.progress)
        self.describe(state_label(run) + _precise(run.precision))

    def describe(self, state: str) -> None:
        """Show the run's state."""
        self._state = state
        self._show()

    def _progress(self, progress: Progress) -> None:
        self._done, self._total, self._rate = progress.done, progress.total, _rate(progress)

    def _show(self) -> None:
        self._display.show(f"{self._name} {self._state}", self._done, self._total, self._rate)


def _precise(precision: PrecisionSummary | None) -> str:
    """Return how many cases are precise enough, for a plan with a precision."""
    if precision is None:
        return ""
    stopped = precision.maximum + precision.budget + precision.failing + precision.lost
    cases = precision.open + precision.reached + stopped
    return f", {precision.reached} of {cases} precise" if cases else ""


def _rate(progress: Progress) -> str:
    parts = []
    if (rate := progress.executions_per_second) is not None:
        parts.append(f"{rate:.3g}/s")
    if (throughput := progress.input_bytes_per_second) is not None:
        parts.append(format_throughput(throughput))
    if (left := progress.seconds_left) is not None:
        parts.append(f"{format_duration_ns(left * 1e9)} left")
    return " ".join(parts)
