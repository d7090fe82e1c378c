"""Child processes: each in its own process group, ended when their parent dies, started again when they die."""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
_LIBC = ctypes.CDLL(None, use_errno=True)
_FIRST_BACKOFF_SECONDS = 0.2
_LONGEST_BACKOFF_SECONDS = 5.0
_STEADY_SECONDS = 20.0
"""A child that lived this long failed for a new reason: the backoff begins anew."""
LOG_BYTES = 4 * 1024 * 1024
"""A log file beyond this length is moved to ``<name>.1`` when its program is started."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Program:
    """What to execute."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    log_file: Path
    inherited: tuple[int, ...] = ()  # file descriptors to keep open in the child
    stop_seconds: float = 10.0  # between SIGTERM and SIGKILL
    cores: frozenset[int] = frozenset()  # that it may use; empty: all
    niceness: int = 0  # 0 to 19: how far it steps back for the others on these cores


def leash(parent: int) -> Callable[[], None]:
    """Return what a child executes before its program: it gets SIGTERM when the parent dies, however that dies.

    The kernel sends the signal when the *thread* that started the child ends, so the main thread starts children.
    """

    def bind() -> None:
        _LIBC.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            # The parent died between the fork and the call above, and no signal will come.
            os._exit(1)

    return bind


class Child:
    """One program that shall always be alive."""

    def __init__(self, program: Program) -> None:
        """Start nothing yet."""
        self.program = program
        self.starts = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._next_start = 0.0
        self._backoff_seconds = _FIRST_BACKOFF_SECONDS

    @property
    def pid(self) -> int | None:
        """Process id while it lives."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> None:
        """Start the program now; to be called from the main thread."""
        program = self.program
        _rotate(program.log_file)
        with program.log_file.open("ab") as log:
            self._process = subprocess.Popen(
                program.arguments,
                env=dict(program.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=program.inherited,
                process_group=0,
                preexec_fn=leash(os.getpid()),  # noqa: PLW1509 - the supervisor has one thread
            )
        if program.cores:
            # It has one thread yet; those that it starts later inherit this.
            os.sched_setaffinity(self._process.pid, program.cores)
        if program.niceness:
            os.setpriority(os.PRIO_PROCESS, self._process.pid, program.niceness)
        self.starts += 1
        self._started = time.monotonic()

    def keep_alive(self) -> bool:
        """Start the program again if it died and its pause is over; return whether it was started."""
        if self.pid is not None:
            return False
        at = time.monotonic()
        if self._process is not None:
            self._note_death(at)
        if at < self._next_start:
            return False
        self.start()
        return True

    def _note_death(self, at: float) -> None:
        assert self._process is not None  # noqa: S101 - for the type checker
        if at - self._started >= _STEADY_SECONDS:
            self._backoff_seconds = _FIRST_BACKOFF_SECONDS
        self._next_start = at + self._backoff_seconds
        self._backoff_seconds = min(self._backoff_seconds * 2, _LONGEST_BACKOFF_SECONDS)
        _log.warning(
            "part ended",
            part=self.program.name,
            exit_code=self._process.returncode,
            log=str(self.program.log_file),
            restart_in_seconds=round(self._next_start - at, 1),
        )
        self._process = None

    def stop(self) -> None:
        """End the program: SIGTERM, then SIGKILL for its whole group when it does not end in time."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(self.program.stop_seconds)
            except subprocess.TimeoutExpired:
                _log.warning("part does not end; killed", part=self.program.name)
        self._kill_group()
        self._process.wait()
        self._process = None

    def _kill_group(self) -> None:
        # Whatever the program left in its group goes with it; usually there is nothing.
        assert self._process is not None  # noqa: S101 - for the type checker
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def _rotate(log_file: Path) -> None:
    if log_file.exists() and log_file.stat().st_size > LOG_BYTES:
        log_file.replace(log_file.with_name(f"{log_file.name}.1"))
