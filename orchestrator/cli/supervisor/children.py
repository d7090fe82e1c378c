"""Child processes: each in its own process group, ended when the parent dies, and restarted when they end."""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from orchestrator.shared.priority import lower_priority

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
_LIBC = ctypes.CDLL(None, use_errno=True)
_FIRST_BACKOFF_SECONDS = 0.2
_MAX_BACKOFF_SECONDS = 5.0
_STEADY_SECONDS = 20.0
"""Uptime after which a child's backoff is reset."""
LOG_BYTES = 4 * 1024 * 1024
"""Size beyond which a log file is renamed to ``<name>.1`` when its program starts."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ChildProgram:
    """A program to execute, with its environment and limits."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    log_file: Path
    inherited: tuple[int, ...] = ()  # file descriptors to keep open in the child
    stop_seconds: float = 10.0  # between SIGTERM and SIGKILL
    final_exit_codes: frozenset[int] = frozenset()  # errors that a restart cannot fix
    cores: frozenset[int] = frozenset()  # allowed cores; empty: all
    niceness: int = 0  # 0 to 19, as in nice(1)
    before_start: Callable[[], None] = lambda: None  # called before each start and restart


def parent_death_signal(parent: int) -> Callable[[], None]:
    """Return a `preexec_fn` that lets the kernel send SIGTERM to the child when the parent dies.

    The kernel sends the signal when the *thread* that started the child ends, so the main thread must start children.
    """

    def set_signal() -> None:
        _LIBC.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            # The parent died between the fork and the call above, so no signal will arrive.
            os._exit(1)

    return set_signal


class Child:
    """A program that is restarted whenever it ends, except with one of its final exit codes."""

    def __init__(self, program: ChildProgram, clock: Callable[[], float] = time.monotonic) -> None:
        """Create the child; `start` runs its program. clock: monotonic, in seconds."""
        self.program = program
        self._clock = clock
        self.starts = 0
        self.final_exit_code: int | None = None
        """Exit code with which the program ended for good."""
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._next_start = 0.0
        self._backoff_seconds = _FIRST_BACKOFF_SECONDS
        self._is_ending = False

    @property
    def pid(self) -> int | None:
        """Process id; None while the program is not running."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> None:
        """Start the program now; call it from the main thread."""
        program = self.program
        program.before_start()
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
                preexec_fn=parent_death_signal(os.getpid()),  # noqa: PLW1509 - two system calls, no lock
            )
        if program.cores:
            # The process has only one thread yet; later threads inherit the affinity.
            os.sched_setaffinity(self._process.pid, program.cores)
        lower_priority(self._process.pid, program.niceness)
        self.starts += 1
        self._is_ending = False
        self._started = self._clock()

    def keep_alive(self) -> bool:
        """Restart the program if it ended and its backoff is over; return whether it was started."""
        if self.pid is not None or self.final_exit_code is not None:
            return False
        at = self._clock()
        if self._process is not None:
            self._record_exit(at)
        if self.final_exit_code is not None or at < self._next_start:
            return False
        self.start()
        return True

    def _record_exit(self, at: float) -> None:
        assert self._process is not None  # noqa: S101 - for the type checker
        if self._process.returncode in self.program.final_exit_codes:
            self.final_exit_code = self._process.returncode
            _log.error("child ended for good", child=self.program.name, exit_code=self.final_exit_code)
            self._process = None
            return
        if at - self._started >= _STEADY_SECONDS:
            self._backoff_seconds = _FIRST_BACKOFF_SECONDS
        self._next_start = at + self._backoff_seconds
        self._backoff_seconds = min(self._backoff_seconds * 2, _MAX_BACKOFF_SECONDS)
        _log.warning(
            "child ended",
            child=self.program.name,
            exit_code=self._process.returncode,
            log=str(self.program.log_file),
            restart_in_seconds=round(self._next_start - at, 1),
        )
        self._process = None

    def kill(self) -> None:
        """Kill a program that does not answer; `keep_alive` starts it again."""
        if self._process is not None:
            self._kill_group()
            self._process.wait()

    def begin_stop(self) -> None:
        """Send SIGTERM, once; `stop` waits for the end."""
        if self._process is not None and not self._is_ending:
            self._is_ending = True
            self._process.terminate()

    def stop(self) -> None:
        """End the program with SIGTERM, and its process group with SIGKILL after `stop_seconds`."""
        if self._process is None:
            return
        self.begin_stop()
        try:
            self._process.wait(self.program.stop_seconds)
        except subprocess.TimeoutExpired:
            _log.warning("child did not end in time; killed", child=self.program.name)
        self._kill_group()
        self._process.wait()
        self._process = None

    def _kill_group(self) -> None:
        # The program may have left processes in its group; usually there are none.
        assert self._process is not None  # noqa: S101 - for the type checker
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def _rotate(log_file: Path) -> None:
    if log_file.exists() and log_file.stat().st_size > LOG_BYTES:
        log_file.replace(log_file.with_name(f"{log_file.name}.1"))
