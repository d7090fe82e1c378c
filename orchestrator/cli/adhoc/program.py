"""Program of the user as a command of the instrument, with its environment and its outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from orchestrator.cli.adhoc.streams import ProgramStreams
from orchestrator.measurement.launch.environment import PADDING, RunnerEnvironment, draw_environment
from orchestrator.measurement.launch.launcher import Launched, Streams
from orchestrator.measurement.machine.cpu_time_split import read_split, split_of_this_kernel
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.readings import RunnerReadings
from orchestrator.shared.units import format_size
from orchestrator.wire.launcher import Ended

if TYPE_CHECKING:
    from orchestrator.wire.records import Failure

MAX_VARIABLES = 255
"""Limit of the launcher (256), less one for the padding."""
MAX_VARIABLE_BYTES = 60_000
_STDERR_CHARACTERS = 8192
_PIPE_WRITE_BYTES = 4096
"""Size of the C library's buffer: each write wakes the launcher. It also wakes on the same core when a pipe is closed:
100 runners of `noop` had 1 or 2 switches at work end and mostly 4 in total (2-core VM, 2026-11)."""

EXITED, CRASHED, TIMEOUT, OUTPUT_EXCEEDED = "exit-code", "signal", "timeout", "output-exceeded"
"""Kinds of failure of a program."""
OWN_ENDINGS = frozenset({EXITED, CRASHED})
"""Failures in which the program ended by itself. In the others the launcher killed it, so that its time is invalid."""


@dataclass(frozen=True)
class ProgramCommand(Command):
    """Any program with its arguments; its output is not interpreted."""

    words: tuple[str, ...]
    """Absolute path by which the program is started, and its arguments; ``program`` is the file with links followed."""
    connected: ProgramStreams = field(default_factory=ProgramStreams)
    """Its input and outputs."""

    def arguments(self) -> tuple[str, ...]:
        """Return the program and its arguments."""
        return self.words

    def files(self) -> tuple[Path, ...]:
        """Return the program and the file of its input; other files that it reads are unknown."""
        return (self.program,) if self.connected.input_file is None else (self.program, self.connected.input_file)

    def streams(self) -> Streams:
        """Return the descriptors of its input and outputs."""
        return self.connected.streams

    def read(self, launched: Launched) -> RunnerReadings:
        """Return the launcher's readings; the program's output is not interpreted."""
        ended = launched.ended
        split, absent = read_split((ended.user_us + ended.system_us) * 1000, split_of_this_kernel())
        unread = _unread(self.connected.streams)
        return RunnerReadings(
            columns={"process_wall_ns": ended.end_ns - ended.spawn_ns},
            readings=_readings(ended, launched) | split | dict.fromkeys(unread),
            absent=absent | unread,
            major_faults=ended.major_faults,
            involuntary_switches=max(0, ended.involuntary_switches - self._switches_to_launcher(launched)),
            output_sha256=None,
            verified=ended.exit_code == 0,
        )

    def _switches_to_launcher(self, launched: Launched) -> int:
        """Return about how often the launcher took the core to read the output, which is not a disturbance."""
        return self.connected.piped + len(launched.stdout) // _PIPE_WRITE_BYTES + launched.stderr.count(b"\n")


def _unread(streams: Streams) -> dict[str, str]:
    """Return the reasons of the lengths of outputs that the launcher does not read."""
    outputs = {"standard_output_bytes": streams.stdout, "standard_error_bytes": streams.stderr}
    return {name: "the output went to another place" for name, given in outputs.items() if given is not None}


def _readings(ended: Ended, launched: Launched) -> dict[str, int | float | None]:
    return {
        "process_user_ns": ended.user_us * 1000,
        "process_system_ns": ended.system_us * 1000,
        "launcher_max_rss_bytes": ended.max_rss_bytes,
        "process_minor_faults": ended.minor_faults,
        "process_major_faults": ended.major_faults,
        "process_voluntary_switches": ended.voluntary_switches,
        "process_involuntary_switches": ended.involuntary_switches,
        "standard_output_bytes": len(launched.stdout),
        "standard_error_bytes": len(launched.stderr),
    }


def program_outcome(command: Command, launched: Launched) -> "tuple[RunnerReadings, Failure | None]":
    """Return the readings of a program, and its failure: any exit code but 0, a signal, or a limit."""
    ended = launched.ended
    if ended.timed_out:
        error, detail = TIMEOUT, f"was killed after {command.timeout_seconds:g} s"
    elif ended.output_exceeded:
        error, detail = OUTPUT_EXCEEDED, f"was killed after writing more than {format_size(command.output_limit_bytes)}"
    elif ended.signal is not None:
        error, detail = CRASHED, f"was ended by signal {ended.signal}"
    elif ended.exit_code != 0:
        error, detail = EXITED, f"ended with exit code {ended.exit_code}"
    else:
        return command.read(launched), None
    from orchestrator.wire.records import Failure  # noqa: PLC0415 - see measurement/instrument/outcome.py

    tail = launched.stderr.decode(errors="replace")[-_STDERR_CHARACTERS:]
    return command.read(launched), Failure(
        error=error, detail=detail, exit_code=ended.exit_code, signal=ended.signal, stderr_tail=tail
    )


@dataclass(frozen=True)
class CallersEnvironment:
    """Environment of the caller, with padding of random length against layout bias if requested."""

    variables: Mapping[str, str]
    padded: bool = True

    def draw(self, random: Random) -> RunnerEnvironment:
        """Return the environment of one execution."""
        if not self.padded:
            return RunnerEnvironment(dict(self.variables), 0)
        drawn = draw_environment(random)
        padding = {name: value for name, value in drawn.variables.items() if name == PADDING}
        return RunnerEnvironment({**self.variables, **padding}, drawn.padding_bytes)


def passable(variables: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the variables that the launcher can pass on, and the names of the others.

    The launcher cannot pass on names with a line feed, values of more than 60 000 bytes, or more than 255 variables.
    """
    fit = {
        name: value
        for name, value in variables.items()
        if "\n" not in name and len(value.encode(errors="surrogateescape")) <= MAX_VARIABLE_BYTES
    }
    passed = dict(list(fit.items())[:MAX_VARIABLES])
    return passed, [name for name in variables if name not in passed]
