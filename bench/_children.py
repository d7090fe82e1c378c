"""Small native programs that the benchmarks measure, and the instrument that executes them."""

import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrator.measurement.instrument.measure import Instrument, InstrumentPlan
from orchestrator.measurement.instrument.monitor import MonitorPlan
from orchestrator.measurement.launch.affinity import choose_measured_core, leave_core
from orchestrator.measurement.launch.launcher import Launched
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.readings import RunnerReadings
from orchestrator.wire.runners import LatencyReport
from tests.support.paths import REPOSITORY

RUNNERS = REPOSITORY / "build" / "runners"
WATCHED = MonitorPlan(fine_interval_ns=10_000_000, coarse_interval_ns=100_000_000)
"""What daemons sample."""
SOURCES = Path(__file__).parent / "native"


def compiled(source: str, folder: Path) -> Path:
    """Compile one C file of `native/` statically, so that no library counts in its memory; return the program."""
    program = folder / source.removesuffix(".c")
    subprocess.run(["cc", "-O2", "-static", "-o", str(program), str(SOURCES / source)], check=True)
    return program


def latency(program: Path, *options: str) -> LatencyReport:
    """Return the report of timed calls in a new process; raises SystemExit unless their output was verified."""
    command = [str(program), "latency", *options]
    ended = subprocess.run(command, capture_output=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{shlex.join(command)} ended with {ended.returncode}: {ended.stderr.decode().strip()}")
    return LatencyReport.model_validate_json(ended.stdout)


@dataclass(frozen=True)
class Child(Command):
    """A program with its arguments; the instrument keeps its output."""

    words: tuple[str, ...]

    def arguments(self) -> tuple[str, ...]:
        """Return the program and its arguments."""
        return (str(self.program), *self.words)

    def files(self) -> tuple[Path, ...]:
        """Return the program."""
        return (self.program,)

    def read(self, launched: Launched) -> RunnerReadings:
        """Return the readings of the launcher, and the peak that the child printed."""
        ended = launched.ended
        printed = launched.stdout.split()
        return RunnerReadings(
            columns={"process_wall_ns": ended.end_ns - ended.spawn_ns, "peak_rss_bytes": _number(printed)},
            readings={
                "process_user_ns": ended.user_us * 1000,
                "process_system_ns": ended.system_us * 1000,
                "launcher_max_rss_bytes": ended.max_rss_bytes,
            },
            absent={},
            major_faults=ended.major_faults,
            involuntary_switches=ended.involuntary_switches,
            output_sha256=None,
            verified=True,
        )


def child(program: Path, *words: str) -> Child:
    """Return the command that executes a child."""
    return Child(program, "bench", "none", "none", 60.0, 65_536, words)


@cache
def measured_core() -> tuple[int, bool]:
    """Return the core that daemons would choose, and whether this process left it: after that it may not choose it."""
    core = choose_measured_core(None)
    return core, leave_core(core)


@contextmanager
def instrument(launcher: Path = RUNNERS / "ciphermark-launcher") -> Iterator[Instrument]:
    """Yield what measures executions on the measured core."""
    opened = Instrument(InstrumentPlan(launcher, *measured_core(), WATCHED))
    try:
        yield opened
    finally:
        opened.close()


def _number(printed: list[bytes]) -> int | None:
    return int(printed[0]) if printed else None
