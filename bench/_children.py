"""Small native programs that the benchmarks measure, and the command that executes them."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.launch.launcher import Launched
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.readings import RunnerReadings

SOURCES = Path(__file__).parent / "native"


def compiled(source: str, folder: Path) -> Path:
    """Compile one C file of `native/` statically, so that no library counts in its memory; return the program."""
    program = folder / source.removesuffix(".c")
    subprocess.run(["cc", "-O2", "-static", "-o", str(program), str(SOURCES / source)], check=True)
    return program


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


def _number(printed: list[bytes]) -> int | None:
    return int(printed[0]) if printed else None
