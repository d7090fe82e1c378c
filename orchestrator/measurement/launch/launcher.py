"""Client of ciphermark-launcher: one launcher process per job, one request per execution.

The launcher takes both timestamps and the rusage. The client waits on its pipe and takes the monitor's samples while it
waits. A request that is sent while a runner works is started by the launcher itself, right after that runner's end.
Protocol: runners/README.md.
"""

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import InvalidRequest, MeasurementError, ProtocolMismatch
from orchestrator.wire.launcher import Ended, Refused, Started, read_event

GRACE_SECONDS = 10.0
"""Time after the execution's timeout until a silent launcher counts as failed."""
_READ_BYTES = 65536


class Observer(Protocol):
    """Receiver of the runner's start, which takes samples until its end."""

    def begin(self, started: Started) -> None:
        """Start observing the runner that has started."""

    def due_ns(self) -> int:
        """Return when the next sample is due, on CLOCK_MONOTONIC."""

    def observe(self) -> None:
        """Take the samples that are due."""


@dataclass(frozen=True)
class Streams:
    """Descriptors of this process that become the program's streams; the launcher must have inherited them."""

    stdin: int | None = None
    """None: the null device."""
    stdout: int | None = None
    """None: a pipe, whose contents the launcher returns."""
    stderr: int | None = None
    """None: as stdout."""


@dataclass(frozen=True)
class LaunchRequest:
    """Program and limits of one execution, with an absolute path and arguments instead of a shell command."""

    arguments: tuple[str, ...]
    timeout_seconds: float
    output_limit_bytes: int
    cpu: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    untraced: bool = False
    """Whether the program must not be stopped at its exit."""
    streams: Streams = Streams()

    def encode(self, request_id: int) -> bytes:
        """Return the request's lines; raises InvalidRequest for values that the protocol cannot express."""
        if not self.arguments or not self.arguments[0].startswith("/"):
            raise InvalidRequest(f"A runner must be given by its absolute path, got {self.arguments[:1]!r}.")
        lines = [f"run {request_id}"]
        if self.cpu is not None:
            lines.append(f"cpu {self.cpu}")
        lines.append(f"timeout_ms {max(1, round(self.timeout_seconds * 1000))}")
        lines.append(f"output_limit {self.output_limit_bytes}")
        if self.untraced:
            lines.append("untraced")
        lines.extend(f"{name} {number}" for name, number in vars(self.streams).items() if number is not None)
        lines.extend(_in_lines(f"env {name}={value}") for name, value in self.environment.items())
        lines.extend(_in_lines(f"arg {argument}") for argument in self.arguments)
        if any("\0" in line for line in lines):
            raise InvalidRequest("Arguments and environment values must not contain NUL.")
        if any("\n" in name for name in self.environment):
            raise InvalidRequest("Names of environment variables must not contain a line feed.")
        lines.append("go\n")
        return "\n".join(lines).encode(errors="surrogateescape")


def _in_lines(field: str) -> str:
    """Return a field with each further line of its value as a field of its own."""
    return field.replace("\n", "\nmore ")


@dataclass(frozen=True)
class Launched:
    """Output and rusage of a runner that has ended."""

    ended: Ended
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True)
class Sent:
    """Request that the launcher has, and that has not been answered completely."""

    number: int
    timeout_seconds: float


class Launcher(Closable):
    """Running ciphermark-launcher, which executes one runner at a time; any thread may call kill_running."""

    def __init__(
        self,
        program: Path,
        core: int | None = None,
        descriptors: Sequence[int] = (),
        *,
        exit_stop: bool = True,
        memory_group: tuple[int, int] | None = None,
    ) -> None:
        """Start the launcher; it ends with this process and then kills its runner.

        core: core of the launcher and of its runners. The launcher sleeps while a runner works, and a runner that
        starts on its core needs no migration, which took 0.3 ms of each start (2-core VM, 2026-11).
        exit_stop: whether runners are stopped at their exit (ptrace), outside their time, to read their peak memory.
        descriptors: open descriptors that requests name as streams.
        memory_group: descriptors of peak and usage of the control group into which the caller moves the launcher.
        """
        # Variables and not arguments, because launchers of older builds reject unknown arguments.
        environment = {"CIPHERMARK_EXIT_STOP": "1"} if exit_stop else {}
        if memory_group is not None:
            environment["CIPHERMARK_MEMORY_GROUP"] = " ".join(map(str, memory_group))
        self._process = subprocess.Popen(
            [str(program), "--parent", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=environment,
            pass_fds=(*descriptors, *(memory_group or ())),
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
        self._unanswered: list[int] = []
        """Requests that have not ended; at most one works, and the next one waits."""

    @property
    def pid(self) -> int:
        """Process id of the launcher."""
        return self._process.pid

    def send(self, request: LaunchRequest) -> Sent:
        """Send a request, which is started now or, if its `Started` accepts it, after the end of the present runner.

        Raises MeasurementError if the launcher has ended.
        """
        self._last_id += 1
        with self._write_lock:
            self._write(request.encode(self._last_id))
            self._unanswered.append(self._last_id)
        return Sent(self._last_id, request.timeout_seconds)

    def wait(
        self, sent: Sent, observer: Observer | None = None, when_started: Callable[[Started], None] | None = None
    ) -> Launched:
        """Wait for the end of a runner, and return its output and rusage.

        when_started: called once the runner works and its observer has begun.
        Raises MeasurementError if the launcher rejects the request, has ended or is silent; the caller then closes it.
        """
        deadline_ns = time.monotonic_ns() + round((sent.timeout_seconds + GRACE_SECONDS) * 1e9)
        try:
            return self._until_ended(sent.number, observer, deadline_ns, when_started)
        finally:
            with self._write_lock:
                self._unanswered.remove(sent.number)

    def discard(self, sent: Sent) -> None:
        """Kill a runner whose measurement is not used, or take its request back, and wait for the answer."""
        with suppress(MeasurementError):  # The request was refused or taken back, or the launcher has ended.
            with self._write_lock:
                self._write(f"kill {sent.number}\n".encode())
            self.wait(sent)

    def kill_running(self) -> None:
        """Kill the current runner and one that waits for its end; an execution ends with signal 9."""
        with self._write_lock:
            for number in reversed(self._unanswered):
                self._write(f"kill {number}\n".encode())

    def close(self) -> None:
        """End the launcher, which kills a runner that is still executing."""
        self._stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        self._stdout.close()

    def _until_ended(
        self, number: int, observer: Observer | None, deadline_ns: int, when_started: Callable[[Started], None] | None
    ) -> Launched:
        started = False
        while True:
            line = self._line(observer if started else None, deadline_ns)
            event = _parse(line)
            if event.id != number:
                continue  # The response to a late kill of an earlier execution.
            if isinstance(event, Refused):
                raise MeasurementError(f"The launcher rejected the request: {event.detail}")
            if isinstance(event, Started):
                started = True
                if observer is not None:
                    observer.begin(event)
                if when_started is not None:
                    when_started(event)
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
        """Wait for output of the launcher and take the samples that become due."""
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
            raise MeasurementError(f"The launcher ended unexpectedly with exit code {self._process.poll()}.")
        self._buffer += data

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._stdin.fileno(), view) :]
        except (BrokenPipeError, ValueError) as error:
            raise MeasurementError(f"The launcher has ended ({error}).") from error


def _parse(line: bytes) -> Started | Ended | Refused:
    try:
        return read_event(line)
    except ValueError as error:
        raise ProtocolMismatch(
            f"Expected one event as JSON from the launcher, got {line[:200]!r} ({error})."
        ) from error
