"""Plain lines about what is done before a measurement begins."""

import threading
import time

from rich.console import Console

from orchestrator.compilation.native.steps import step_summary

_LINE_SECONDS = 4.0
"""Interval between two lines of progress: with the second until the next look, never 5 s without one."""


class ProgressLines:
    """Lines about what is done, at most one each few seconds. Called from several threads."""

    def __init__(self, out: Console) -> None:
        """Begin now."""
        self._out, self._began = out, time.monotonic()
        self._next_line = self._began
        self._activity = "starting"
        self._lock = threading.Lock()
        self.ended = threading.Event()
        """To be set when nothing is waited for any more."""

    def repeat(self) -> None:
        """Print the last activity again while no other comes, until the end."""
        while not self.ended.wait(1.0):
            self.show()

    def show(self, activity: str | None = None) -> None:
        """Print the activity, by default the last one again, if the last line is old enough."""
        with self._lock:
            self._activity = activity or self._activity
            now = time.monotonic()
            if now >= self._next_line:
                self._next_line = now + _LINE_SECONDS
                text = step_summary(self._activity)
                self._out.print(f"{now - self._began:4.0f} s  {text}"[:100], markup=False)
