"""Execution of one build step with live output, pauses, interruption, and the last lines of a failure.

While a job needs the machine, the processes of the step are stopped, so that nothing of the build runs during a
measurement. On a machine with little free memory they are killed, and the step is repeated: Ninja keeps what it has
compiled.
"""

import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from orchestrator.shared.errors import BuildFailed, CiphermarkError

FAILURE_LINES = 25
"""Number of output lines in the message of a failed step."""
_STEP_SECONDS = 3600.0
_CHECK_SECONDS = 0.05
"""Interval at which a step without output is checked for pauses and interruption: a job waits this long for a build."""
_MIN_AVAILABLE_BYTES = 256 * 1024 * 1024
"""Available memory below which a paused step is killed and repeated: a compiler holds up to 600 MiB."""
_SIGNAL_SECONDS = 1.0
"""Maximum wait for processes to stop or end after their signal."""
_SIGNAL_CHECK_SECONDS = 0.001
_NOT_EXECUTING = (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
_BLOCK_BYTES = 65_536


_NINJA_STEP = re.compile(r"\[(\d+)/(\d+)\] .*", re.DOTALL)


class Interrupted(CiphermarkError):
    """The preparation or build was interrupted."""


class _Killed(Exception):
    """The step was killed during a pause and has to be repeated."""


def _never() -> bool:
    return False


def _nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True)
class BuildObserver:
    """Receives the progress of a build, and can pause or interrupt it."""

    progress: Callable[[str], None]
    """Receives one line at a time."""
    stopped: Callable[[], bool] = _never
    """Returns whether to interrupt the build."""
    is_paused: Callable[[], bool] = _never
    """Returns whether the machine is needed for something else."""
    wait: Callable[[], None] = _nothing
    """Returns at the end of a pause."""
    clock: Callable[[], float] = time.monotonic
    """Monotonic time in seconds that stops during pauses."""

    def check(self) -> None:
        """Wait while the build is paused. Raises Interrupted if it is to be interrupted."""
        if self.is_paused():
            self.wait()
        if self.stopped():
            raise Interrupted

    def report(self, line: str) -> None:
        """Report progress, after a pause if one is due. Raises Interrupted."""
        self.check()
        self.progress(line)


def step_summary(line: str) -> str:
    """Return a line of a build for a person: ``compiling: 3 of 119``."""
    if line.startswith("-- "):
        return "examining the compiler"
    return _NINJA_STEP.sub(r"compiling: \1 of \2", line)


def execute(
    command: Sequence[str],
    observer: BuildObserver,
    step_seconds: float = _STEP_SECONDS,
    min_available_bytes: int = _MIN_AVAILABLE_BYTES,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> list[str]:
    """Execute one step and return its output lines.

    step_seconds: time limit without pauses. min_available_bytes: available memory at which a pause stops the
    processes of the step; below it they are killed, and the step is executed again after the pause. folder,
    environment: of the step; those of this process by default.

    Raises BuildFailed with the last lines if the step fails or exceeds the limit, and Interrupted; in all cases its
    compilers have ended.
    """
    while True:
        try:
            return _execute_once(
                command, observer, step_seconds, min_available_bytes, folder=folder, environment=environment
            )
        except _Killed:
            observer.check()


def _execute_once(
    command: Sequence[str],
    observer: BuildObserver,
    step_seconds: float,
    min_available_bytes: int,
    *,
    folder: Path | None,
    environment: Mapping[str, str] | None,
) -> list[str]:
    deadline = observer.clock() + step_seconds
    lines: list[str] = []
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        cwd=folder,
        env=environment,
    ) as process:
        try:
            for line in _lines_of(process):
                if observer.is_paused():
                    _pause(process.pid, observer, min_available_bytes)
                # Only this: a pause that begins now has to stop the step first, in the next round.
                if observer.stopped():
                    raise Interrupted
                if line is not None:
                    lines.append(line)
                    observer.progress(line)
                if observer.clock() > deadline:
                    raise BuildFailed(f"{command[0]} did not finish within {step_seconds:.0f} s:\n{_last(lines)}")
        except BaseException:
            _kill_tree(process.pid)
            raise
    if process.returncode != 0:
        raise BuildFailed(f"{' '.join(command[:2])} exited with {process.returncode}:\n{_last(lines)}")
    return lines


def _pause(pid: int, observer: BuildObserver, min_available_bytes: int) -> None:
    """Stop a step and all its descendants until the pause ends. Raises _Killed if too little memory is available."""
    if psutil.virtual_memory().available < min_available_bytes:
        raise _Killed
    stopped = _stop_tree(pid)
    observer.wait()
    # Children first: a parent that continues earlier would only wait for them.
    for process in reversed(stopped):
        with suppress(psutil.NoSuchProcess):
            process.resume()


def _stop_tree(pid: int) -> list[psutil.Process]:
    """Stop a process and all its descendants, parents first; return the stopped ones."""
    stopped: list[psutil.Process] = []
    found = [psutil.Process(pid)]
    while found:
        for process in found:
            with suppress(psutil.NoSuchProcess):
                process.suspend()
                stopped.append(process)
        # A process that was not stopped yet may have started another one.
        with suppress(psutil.NoSuchProcess):
            found = [one for one in stopped[0].children(recursive=True) if one not in stopped]
            continue
        break
    _wait_until_stopped(stopped)
    return stopped


def _wait_until_stopped(processes: list[psutil.Process]) -> None:
    """Wait until no process of the list executes: on another core, a signal takes effect a moment later."""
    deadline = time.monotonic() + _SIGNAL_SECONDS
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            while process.status() not in _NOT_EXECUTING and time.monotonic() < deadline:
                time.sleep(_SIGNAL_CHECK_SECONDS)


def _kill_tree(pid: int) -> None:
    """Kill a step and all its descendants.

    Ninja gives each compiler a process group of its own, so compilers are found as descendants. The parent is halted
    first, so that it cannot start new ones.
    """
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGSTOP)
    descendants: list[psutil.Process] = []
    with suppress(psutil.NoSuchProcess):
        descendants = psutil.Process(pid).children(recursive=True)
    for descendant in descendants:
        with suppress(psutil.NoSuchProcess):
            descendant.kill()
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    # A killed process ends a moment later, with its memory. Where no process reaps orphans, it stays a zombie.
    psutil.wait_procs(descendants, timeout=_SIGNAL_SECONDS)


def _lines_of(process: "subprocess.Popen[bytes]") -> Iterator[str | None]:
    """Yield the output lines of a process, and None at intervals without output."""
    if process.stdout is None:
        return
    descriptor, pending = process.stdout.fileno(), b""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while True:
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
