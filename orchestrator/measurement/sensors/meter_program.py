"""The program behind a user's own meter: started, listened to, and started again with growing pauses."""

import contextlib
import shlex
import signal
import subprocess
import threading
import time
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import IO

import structlog

from orchestrator.measurement.sensors.meter_lines import LONGEST_LINE_BYTES, MeterLine, parse_line

_KEPT_LINES = 100_000
"""Half an hour of a meter that prints each 20 ms: longer than any window."""
_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 60.0
_LIVED_SECONDS = 60.0
"""A program that lived this long is started again after the first pause."""
_END_SECONDS = 2.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Bad:
    """Lines that were no readings."""

    count: int = 0
    last: str = ""


class MeterProgram:
    """Runs the command from the first question on; its lines come in by a thread of their own."""

    def __init__(self, command: str) -> None:
        """Prepare; nothing is started. Raises ValueError for a command with an open quote, or an empty one."""
        self.arguments = shlex.split(command)
        if not self.arguments:
            raise ValueError("the command is empty")
        self._changed = threading.Condition()
        self._lines: deque[MeterLine] = deque(maxlen=_KEPT_LINES)
        self._bad = Bad()
        self._down = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def start(self) -> None:
        """Start it, unless that was done before."""
        with self._changed:
            if self._thread is None and not self._closed.is_set():
                self._thread = threading.Thread(target=self._supervise, name="user meter", daemon=True)
                self._thread.start()

    @property
    def bad(self) -> Bad:
        """How many lines were no readings, and what was wrong with the last one."""
        with self._changed:
            return self._bad

    @property
    def down(self) -> str:
        """Why there is no program at the moment; empty while there is one, and before the first start."""
        with self._changed:
            return self._down

    def lines(self) -> list[MeterLine]:
        """Return the readings of the present life of the program, in the order of their times."""
        with self._changed:
            return list(self._lines)

    def wait_for(self, at_ns: int, seconds: float) -> bool:
        """Wait at most so long, while the program lives, for a reading of that time or later; tell whether it came."""

        def there() -> bool:
            return bool(self._lines) and self._lines[-1].at_ns >= at_ns

        with self._changed:
            self._changed.wait_for(lambda: there() or bool(self._down), seconds)
            return there()

    def interval_ns(self) -> int | None:
        """Return the usual time between two readings; None before there are two."""
        times = [line.at_ns for line in self.lines()[-50:]]
        return int(median(two - one for one, two in pairwise(times))) if len(times) > 1 else None

    def close(self) -> None:
        """End the program and the threads; it is not started again."""
        self._closed.set()
        with self._changed:
            process, thread = self._process, self._thread
        if process is not None:
            _end(process)
        if thread is not None:
            thread.join(2 * _END_SECONDS)

    def _supervise(self) -> None:
        pause = _FIRST_PAUSE_SECONDS
        while not self._closed.is_set():
            began = time.monotonic()
            self._live()
            if time.monotonic() - began > _LIVED_SECONDS:
                pause = _FIRST_PAUSE_SECONDS
            if not self._closed.is_set():
                _log.warning("the user's meter is down", reason=self.down, next_start_seconds=pause)
            self._closed.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def _live(self) -> None:
        """One life of the program, from its start to its end."""
        try:
            process = subprocess.Popen(
                self.arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the daemon, which ends the meter last
            )
        except OSError as error:
            self._set_down(f"{self.arguments[0]} could not be started: {error.strerror}")
            return
        with self._changed:
            self._process, self._down = process, ""
            self._lines.clear()
        if self._closed.is_set():  # closed between the start and here
            _end(process)
        last_words: deque[str] = deque(maxlen=3)
        complaints = threading.Thread(target=_collect, args=(process.stderr, last_words), daemon=True)
        complaints.start()
        self._listen(process)
        code = process.wait()
        complaints.join(_END_SECONDS)
        said = f", and said last: {' | '.join(last_words)}" if last_words else ""
        self._set_down(f"{self.arguments[0]} ended with {_exit(code)}{said}")

    def _listen(self, process: "subprocess.Popen[bytes]") -> None:
        output = process.stdout
        assert output is not None  # noqa: S101 (it was asked for)
        with output:
            within_line = False
            while piece := output.readline(LONGEST_LINE_BYTES + 2):
                if not within_line:  # the rest of a line that is too long is no reading of its own
                    self._hear(piece, time.monotonic_ns())
                within_line = not piece.endswith(b"\n")

    def _hear(self, line: bytes, arrived_ns: int) -> None:
        with self._changed:
            try:
                reading = parse_line(line, arrived_ns)
                if self._lines and reading.quantity != self._lines[-1].quantity:
                    raise ValueError(f"{reading.quantity} after {self._lines[-1].quantity}: print one of both")
                if self._lines and reading.at_ns <= self._lines[-1].at_ns:
                    raise ValueError(f"at_ns is {reading.at_ns}, not after the one before")
            except ValueError as error:
                self._bad = Bad(self._bad.count + 1, str(error))
                if self._bad.count == 1:
                    _log.warning("a line of the user's meter is no reading", reason=str(error))
                return
            self._lines.append(reading)
            self._changed.notify_all()

    def _set_down(self, reason: str) -> None:
        with self._changed:
            self._down, self._process = reason, None
            self._changed.notify_all()


def _collect(stream: IO[bytes] | None, words: deque[str]) -> None:
    """Keep the last lines of what the program complains of."""
    if stream is not None:
        with stream:
            while line := stream.readline(LONGEST_LINE_BYTES):
                words.append(line.decode(errors="replace").strip()[:200])


def _exit(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ask it to end, then end it."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
