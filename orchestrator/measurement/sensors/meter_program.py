"""Program of a user's own meter: started, read, and restarted with increasing pauses."""

import contextlib
import json
import math
import shlex
import signal
import subprocess
import threading
import time
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import IO, Literal

import structlog

MAX_LINE_BYTES = 4096
_EXPECTED = 'one JSON object like {"watts": 3.21} or {"joules": 1234.5}, with "at_ns" if the program knows it'
_AHEAD_NS = 1_000_000_000
"""Tolerance for a reading whose time is after its arrival."""


@dataclass(frozen=True)
class MeterLine:
    """One reading of the user's meter."""

    quantity: Literal["watts", "joules"]
    """Power, or an energy counter."""
    value: float
    at_ns: int
    """Time on CLOCK_MONOTONIC: the program's, or that of the line's arrival."""


def parse_line(line: bytes, arrived_ns: int) -> MeterLine:
    """Return the reading in a line; raises ValueError for any other line."""
    if len(line) > MAX_LINE_BYTES:
        raise ValueError(f"a line of more than {MAX_LINE_BYTES} bytes, expected {_EXPECTED}")
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise ValueError(f"expected {_EXPECTED}, got {line[:80]!r}")
    unknown = set(document) - {"watts", "joules", "at_ns"}
    if unknown or ("watts" in document) == ("joules" in document):
        raise ValueError(f"expected {_EXPECTED}, got the keys {sorted(document)}")
    quantity: Literal["watts", "joules"] = "watts" if "watts" in document else "joules"
    return MeterLine(quantity, _value(document[quantity], quantity), _time(document.get("at_ns"), arrived_ns))


def _value(value: object, quantity: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{quantity} must be a number, got {str(value)[:40]!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"{quantity} must be a finite number, 0 or more, got {number!r}: is the meter reversed?")
    return number


def _time(at_ns: object, arrived_ns: int) -> int:
    if at_ns is None:
        return arrived_ns
    if isinstance(at_ns, bool) or not isinstance(at_ns, int):
        raise ValueError(f"at_ns must be an integer in ns on CLOCK_MONOTONIC, got {str(at_ns)[:40]!r}")
    if not 0 <= at_ns <= arrived_ns + _AHEAD_NS:
        raise ValueError(f"at_ns must not be after {arrived_ns}, got {at_ns}: is it CLOCK_MONOTONIC in ns?")
    return at_ns


_KEPT_LINES = 100_000
"""Half an hour of a meter that prints every 20 ms: longer than any window."""
_FIRST_PAUSE_SECONDS = 1.0
_MAX_PAUSE_SECONDS = 60.0
_STABLE_SECONDS = 60.0
"""Time after which a program that ends is restarted after the first pause."""
_END_SECONDS = 2.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class BadLines:
    """Lines that could not be parsed."""

    count: int = 0
    last: str = ""


class MeterProgram:
    """Runs the command after the first use, and reads its lines in a thread."""

    def __init__(self, command: str) -> None:
        """Parse the command without starting it; raises ValueError for an empty one or an open quote."""
        self.arguments = shlex.split(command)
        if not self.arguments:
            raise ValueError("the command is empty")
        self._changed = threading.Condition()
        self._lines: deque[MeterLine] = deque(maxlen=_KEPT_LINES)
        self._bad = BadLines()
        self._down = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def start(self) -> None:
        """Start the program, unless it was started before."""
        with self._changed:
            if self._thread is None and not self._closed.is_set():
                self._thread = threading.Thread(target=self._supervise, name="user meter", daemon=True)
                self._thread.start()

    @property
    def bad(self) -> BadLines:
        """Number of lines that could not be parsed, and the error of the last one."""
        with self._changed:
            return self._bad

    @property
    def down(self) -> str:
        """Why the program is not executing; empty while it is, and before the first start."""
        with self._changed:
            return self._down

    def lines(self) -> list[MeterLine]:
        """Return the readings since the program's last start, in the order of their times."""
        with self._changed:
            return list(self._lines)

    def wait_for(self, at_ns: int, seconds: float) -> bool:
        """Wait for a reading at or after `at_ns` while the program executes; return whether there is one."""

        def received() -> bool:
            return bool(self._lines) and self._lines[-1].at_ns >= at_ns

        with self._changed:
            self._changed.wait_for(lambda: received() or bool(self._down), seconds)
            return received()

    def interval_ns(self) -> int | None:
        """Return the median time between two readings, or None before the second one."""
        times = [line.at_ns for line in self.lines()[-50:]]
        return int(median(two - one for one, two in pairwise(times))) if len(times) > 1 else None

    def close(self) -> None:
        """End the program and the threads for good."""
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
            self._execute()
            if time.monotonic() - began > _STABLE_SECONDS:
                pause = _FIRST_PAUSE_SECONDS
            if not self._closed.is_set():
                _log.warning("the user's meter is down", reason=self.down, next_start_seconds=pause)
            self._closed.wait(pause)
            pause = min(2 * pause, _MAX_PAUSE_SECONDS)

    def _execute(self) -> None:
        """Start the program and read its lines until it ends."""
        try:
            process = subprocess.Popen(
                self.arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C reaches only the daemon, which ends the meter last.
            )
        except OSError as error:
            self._set_down(f"{self.arguments[0]} could not be started: {error.strerror}")
            return
        with self._changed:
            self._process, self._down = process, ""
            self._lines.clear()
        if self._closed.is_set():  # Closed between the start and this line.
            _end(process)
        last_errors: deque[str] = deque(maxlen=3)
        error_reader = threading.Thread(target=_collect, args=(process.stderr, last_errors), daemon=True)
        error_reader.start()
        self._read_lines(process)
        code = process.wait()
        error_reader.join(_END_SECONDS)
        errors = f", last errors: {' | '.join(last_errors)}" if last_errors else ""
        ending = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        self._set_down(f"{self.arguments[0]} ended with {ending}{errors}")

    def _read_lines(self, process: "subprocess.Popen[bytes]") -> None:
        output = process.stdout
        assert output is not None  # noqa: S101 - requested with PIPE
        with output:
            within_line = False
            while piece := output.readline(MAX_LINE_BYTES + 2):
                if not within_line:  # The rest of a line that is too long is not a reading.
                    self._receive(piece, time.monotonic_ns())
                within_line = not piece.endswith(b"\n")

    def _receive(self, line: bytes, arrived_ns: int) -> None:
        with self._changed:
            try:
                reading = parse_line(line, arrived_ns)
                if self._lines and reading.quantity != self._lines[-1].quantity:
                    raise ValueError(f"{reading.quantity} after {self._lines[-1].quantity}: print only one of them")
                if self._lines and reading.at_ns <= self._lines[-1].at_ns:
                    raise ValueError(f"at_ns must increase, got {reading.at_ns}")
            except ValueError as error:
                self._bad = BadLines(self._bad.count + 1, str(error))
                if self._bad.count == 1:
                    _log.warning("a line of the user's meter could not be parsed", reason=str(error))
                return
            self._lines.append(reading)
            self._changed.notify_all()

    def _set_down(self, reason: str) -> None:
        with self._changed:
            self._down, self._process = reason, None
            self._changed.notify_all()


def _collect(stream: IO[bytes] | None, lines: deque[str]) -> None:
    """Append the lines of the program's standard error."""
    if stream is not None:
        with stream:
            while line := stream.readline(MAX_LINE_BYTES):
                lines.append(line.decode(errors="replace").strip()[:200])


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Terminate the program, and kill it if it does not end."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
