"""Execution of one build step with live output, interruption, and the last lines of a failure."""

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
"""Number of output lines in the message of a failed step."""
_STEP_SECONDS = 3600.0
_CHECK_SECONDS = 0.2
"""Interval at which a step without output is checked for interruption."""
_BLOCK_BYTES = 65_536


class Interrupted(CiphermarkError):
    """The preparation or build was interrupted."""


def _never() -> bool:
    return False


@dataclass(frozen=True)
class BuildObserver:
    """Receives the progress of a build and can interrupt it."""

    progress: Callable[[str], None]
    """Receives one line at a time."""
    stopped: Callable[[], bool] = _never
    """Returns whether to interrupt the build."""

    def check(self) -> None:
        """Raise Interrupted if the build is to be interrupted."""
        if self.stopped():
            raise Interrupted

    def report(self, line: str) -> None:
        """Report progress. Raises Interrupted."""
        self.check()
        self.progress(line)


def execute(command: list[str], observer: BuildObserver, step_seconds: float = _STEP_SECONDS) -> list[str]:
    """Execute one step and return its output lines.

    Raises BuildFailed with the last lines if the step fails or takes longer than `step_seconds`, and Interrupted; in
    all cases its compilers have ended.
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
                    raise BuildFailed(f"{command[0]} did not finish within {step_seconds:.0f} s:\n{_last(lines)}")
        except BaseException:
            _kill_tree(process.pid)
            raise
    if process.returncode != 0:
        raise BuildFailed(f"{' '.join(command[:2])} exited with {process.returncode}:\n{_last(lines)}")
    return lines


def _kill_tree(pid: int) -> None:
    """Kill a step and all its descendants.

    Ninja gives each compiler a process group of its own, so compilers are found as descendants. The parent is halted
    first, so that it cannot start new ones.
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
    """Yield the output lines of a process, and None at intervals without output. Raises Interrupted."""
    if process.stdout is None:
        return
    descriptor, pending = process.stdout.fileno(), b""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while True:
        observer.check()
        if not poll.poll(_CHECK_SECONDS * 1000):
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
