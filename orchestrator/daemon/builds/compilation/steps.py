"""Executes one step of a build: its lines as they come, stopped on request, and its last lines when it fails."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import psutil

from orchestrator.errors import BuildFailed, CiphermarkError

FAILURE_LINES = 25
"""How much of a failing step is told."""
_STEP_SECONDS = 3600.0
_LOOK_SECONDS = 0.2
"""A compiler may be silent for a minute; a stop order is followed after this long."""
_BLOCK_BYTES = 65_536


class Interrupted(CiphermarkError):
    """The daemon was stopped while it prepared."""


def _never() -> bool:
    return False


@dataclass(frozen=True)
class BuildObserver:
    """Who looks on while something is made."""

    progress: Callable[[str], None]
    """Gets one line at a time."""
    stopped: Callable[[], bool] = _never
    """Tells whether to leave it."""

    def check(self) -> None:
        """Raise Interrupted when it is to be left."""
        if self.stopped():
            raise Interrupted

    def report(self, line: str) -> None:
        """Tell of progress, unless it is to be left."""
        self.check()
        self.progress(line)


def execute(command: list[str], observer: BuildObserver, step_seconds: float = _STEP_SECONDS) -> list[str]:
    """Execute one step and return its lines.

    Raises BuildFailed with the last lines when the step fails or takes longer than `step_seconds`, and Interrupted
    when it was stopped; its compilers have ended then.
    """
    deadline = time.monotonic() + step_seconds
    lines: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            for line in _lines_of(process, observer):
                if line is not None:
                    lines.append(line)
                    observer.progress(line)
                if time.monotonic() > deadline:
                    raise BuildFailed(f"{command[0]} was stopped after {step_seconds:.0f} s:\n{_last(lines)}")
        except BaseException:
            _end_family(process.pid)
            raise
    if process.returncode != 0:
        raise BuildFailed(f"{' '.join(command[:2])} ended with {process.returncode}:\n{_last(lines)}")
    return lines


def _end_family(pid: int) -> None:
    """Kill a step with everything it started.

    Ninja gives each compiler a process group of its own, so they are found as descendants; what starts them is halted
    first, or it would start more meanwhile.
    """
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGSTOP)
    with suppress(psutil.NoSuchProcess):
        for descendant in psutil.Process(pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                descendant.kill()
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _lines_of(process: "subprocess.Popen[bytes]", observer: BuildObserver) -> Iterator[str | None]:
    """Yield the lines that a process prints, and None now and then while it prints nothing."""
    if process.stdout is None:
        return
    descriptor, pending = process.stdout.fileno(), b""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while True:
        observer.check()
        if not poll.poll(_LOOK_SECONDS * 1000):
            yield None
            continue
        block = os.read(descriptor, _BLOCK_BYTES)
        if not block:
            break
        *whole, pending = (pending + block).split(b"\n")
        yield from map(_text, whole)
    if pending:
        yield _text(pending)


def _text(line: bytes) -> str:
    return line.decode(errors="replace").rstrip()


def _last(lines: list[str]) -> str:
    return "\n".join(lines[-FAILURE_LINES:])
