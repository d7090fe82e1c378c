"""The daemon's side of ciphermark-launcher: one launcher process a job, one request an execution.

The launcher takes both timestamps and the rusage; this side only waits on its pipe, and takes the monitor's
samples while it waits. Protocol: runners/README.md.
"""

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Protocol, Self

from pydantic import Field, TypeAdapter, ValidationError

from orchestrator.errors import InvalidRequest, MeasurementError, ProtocolMismatch
from orchestrator.wire.launcher import Ended, Refused, Started

GRACE_SECONDS = 10.0
"""A launcher that says nothing for this long after the execution's own timeout is given up."""
_READ_BYTES = 65536


class Observer(Protocol):
    """Who takes samples while a runner lives."""

    def begin(self, started: Started) -> None:
        """The runner exists."""

    def due_ns(self) -> int:
        """Return when the next sample is due, on CLOCK_MONOTONIC."""

    def observe(self) -> None:
        """Take the samples that are due."""


@dataclass(frozen=True)
class LaunchRequest:
    """What to execute, as data: an absolute program and its arguments, never a shell line."""

    arguments: tuple[str, ...]
    timeout_seconds: float
    output_limit_bytes: int
    cpu: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    def encode(self, request_id: int) -> bytes:
        """Return the request's lines; raise InvalidRequest for what the protocol cannot express."""
        if not self.arguments or not self.arguments[0].startswith("/"):
            raise InvalidRequest(f"A runner is named by its absolute path, seen {self.arguments[:1]!r}.")
        lines = [f"run {request_id}"]
        if self.cpu is not None:
            lines.append(f"cpu {self.cpu}")
        lines.append(f"timeout_ms {max(1, round(self.timeout_seconds * 1000))}")
        lines.append(f"output_limit {self.output_limit_bytes}")
        lines.extend(f"env {name}={value}" for name, value in self.environment.items())
        lines.extend(f"arg {argument}" for argument in self.arguments)
        if any("\n" in line or "\0" in line for line in lines):
            raise InvalidRequest("An argument or environment value with a line feed or NUL cannot be passed on.")
        lines.append("go\n")
        return "\n".join(lines).encode(errors="surrogateescape")


@dataclass(frozen=True)
class Launched:
    """A runner that was started and has ended."""

    ended: Ended
    stdout: bytes
    stderr: bytes


class Launcher:
    """One running ciphermark-launcher. Executes one runner at a time; kill_running may come from any thread."""

    def __init__(self, program: Path, core: int | None = None) -> None:
        """Start the launcher; it ends when this process does, and ends its runner with it.

        core: where the launcher itself belongs: with its runners. It sleeps while they work, and a runner that is born
        on the core where it stays needs no migration, which cost 0.3 ms of each start (2-core VM, 2026-11).
        """
        self._process = subprocess.Popen(
            [str(program), "--parent", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={},
        )
        if core is not None:
            os.sched_setaffinity(self._process.pid, {core})
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise MeasurementError("The launcher has no pipes.")
        self._stdin, self._stdout = stdin, stdout
        self._poll = select.poll()
        self._poll.register(stdout.fileno(), select.POLLIN)
        self._buffer = bytearray()
        self._write_lock = threading.Lock()
        self._last_id = 0
        self._running_id: int | None = None

    @property
    def pid(self) -> int:
        """The launcher's process."""
        return self._process.pid

    def execute(self, request: LaunchRequest, observer: Observer) -> Launched:
        """Execute one runner to its end.

        Raises MeasurementError when the launcher refuses, is gone or is silent; the caller then closes it.
        """
        self._last_id += 1
        request_id = self._last_id
        deadline_ns = time.monotonic_ns() + round((request.timeout_seconds + GRACE_SECONDS) * 1e9)
        with self._write_lock:
            self._write(request.encode(request_id))
            self._running_id = request_id
        try:
            return self._until_ended(request_id, observer, deadline_ns)
        finally:
            self._running_id = None

    def kill_running(self) -> None:
        """End the runner that is executing now, if any; its execution returns with signal 9."""
        with self._write_lock:
            running = self._running_id
            if running is not None:
                self._write(f"kill {running}\n".encode())

    def close(self) -> None:
        """End the launcher, and with it a runner that still lives."""
        self._stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        self._stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _until_ended(self, request_id: int, observer: Observer, deadline_ns: int) -> Launched:
        observed = False
        while True:
            line = self._line(observer if observed else None, deadline_ns)
            event = _parse(line)
            if event.id != request_id:
                continue  # The answer to a kill that came too late for an earlier execution.
            if isinstance(event, Refused):
                raise MeasurementError(f"The launcher refused: {event.detail}")
            if isinstance(event, Started):
                observer.begin(event)
                observed = True
                continue
            stdout = self._exactly(event.stdout_bytes, deadline_ns)
            return Launched(event, stdout, self._exactly(event.stderr_bytes, deadline_ns))

    def _line(self, observer: Observer | None, deadline_ns: int) -> bytes:
        while (end := self._buffer.find(b"\n")) < 0:
            self._fill(observer, deadline_ns)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _exactly(self, length_bytes: int, deadline_ns: int) -> bytes:
        while len(self._buffer) < length_bytes:
            self._fill(None, deadline_ns)
        data = bytes(self._buffer[:length_bytes])
        del self._buffer[:length_bytes]
        return data

    def _fill(self, observer: Observer | None, deadline_ns: int) -> None:
        """Wait for bytes of the launcher, taking the samples that fall due meanwhile."""
        while True:
            now_ns = time.monotonic_ns()
            if now_ns > deadline_ns:
                raise MeasurementError(f"The launcher was silent for {GRACE_SECONDS:.0f} s after the timeout.")
            due_ns = deadline_ns if observer is None else min(observer.due_ns(), deadline_ns)
            if self._poll.poll(max(0, due_ns - now_ns) / 1e6):
                break
            if observer is not None:
                observer.observe()
        data = os.read(self._stdout.fileno(), _READ_BYTES)
        if not data:
            raise MeasurementError(f"The launcher ended by itself, exit code {self._process.poll()}.")
        self._buffer += data

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._stdin.fileno(), view) :]
        except (BrokenPipeError, ValueError) as error:
            raise MeasurementError(f"The launcher is gone ({error}).") from error


_EVENT: TypeAdapter[Started | Ended | Refused] = TypeAdapter(
    Annotated[Started | Ended | Refused, Field(discriminator="event")]
)


def _parse(line: bytes) -> Started | Ended | Refused:
    try:
        return _EVENT.validate_json(line)
    except ValidationError as error:
        raise ProtocolMismatch(f"The launcher said {line[:200]!r}, expected was one event as JSON.") from error
