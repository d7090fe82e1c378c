"""The same work each time: one proved implementation over 1 MiB, executed in interleaved pairs against itself."""

import math
import secrets
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from orchestrator.daemon.builds.installed import InstalledBuild
from orchestrator.daemon.builds.proofs import ProofBook
from orchestrator.daemon.builds.proved import ProvedBuild
from orchestrator.errors import MeasurementError
from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.measurement.runner.commands import ProcessCommand
from orchestrator.statistics.median import FEWEST_FOR_INTERVAL

INPUT_BYTES = 1024 * 1024
PAIRS = 40
"""Quiet ones that are wanted."""
MOST_PAIRS = 80
"""On a machine where most are disturbed."""
BUDGET_SECONDS = 4.0
"""A slow implementation on a slow device gets fewer pairs, not a longer wait."""
_TIMEOUT_SECONDS = 20.0
_OUTPUT_BYTES = 65536
_FEWEST_PAIRS = 6
_PREFERRED = ("aes-128-ctr", "chacha20-ietf", "chacha20-128")


@dataclass(frozen=True)
class Subject:
    """The implementation that stands for all: quick, and its known answers have passed here."""

    provider: str
    algorithm: str
    variant: str


@dataclass(frozen=True)
class Timed:
    """One execution."""

    wall_ns: float
    disturbed: bool
    """A mark says that something else was going on."""


@dataclass(frozen=True)
class Pairs:
    """Interleaved pairs, each measured in random order."""

    of: tuple[tuple[Timed, Timed], ...]

    @property
    def executions(self) -> list[Timed]:
        """Every execution, pair by pair."""
        return [one for pair in self.of for one in pair]

    @property
    def disturbed(self) -> int:
        """Pairs with a mark."""
        return sum(first.disturbed or second.disturbed for first, second in self.of)

    @property
    def log_ratios(self) -> list[float]:
        """ln(first / second) of the quiet pairs; of all where too few were quiet."""
        quiet = [pair for pair in self.of if not (pair[0].disturbed or pair[1].disturbed)]
        chosen = quiet if len(quiet) >= _FEWEST_PAIRS else self.of
        return [math.log(first.wall_ns / second.wall_ns) for first, second in chosen]

    @property
    def walls_ns(self) -> list[float]:
        """The times of the quiet executions; of all where too few were quiet for an interval."""
        quiet = [one.wall_ns for one in self.executions if not one.disturbed]
        return quiet if len(quiet) >= FEWEST_FOR_INTERVAL else [one.wall_ns for one in self.executions]


def choose_subject(build: InstalledBuild, proofs: ProofBook) -> Subject | None:
    """Return a proved default implementation, quick ones first, own ones before those of libraries."""
    candidates = []
    for runner in build.report.runners:
        for i in runner.listing.implementations:
            if i.default and i.variant and proofs.admits(runner.sha256, runner.provider, i.algorithm, i.variant):
                preference = _PREFERRED.index(i.algorithm) if i.algorithm in _PREFERRED else len(_PREFERRED)
                candidates.append((preference, runner.provider != "own", runner.provider, i.algorithm, i.variant))
    return Subject(*min(candidates)[2:]) if candidates else None


def control_command(proved: ProvedBuild, input_file: Path) -> ProcessCommand | None:
    """Return the command of the control workload, its input written; None where nothing has passed its proofs."""
    subject = choose_subject(proved.build, proved.proofs)
    return None if subject is None else command_of(proved.build, subject, input_file)


def command_of(build: InstalledBuild, subject: Subject, input_file: Path) -> ProcessCommand:
    """Return the command that executes the subject, or noop, over 1 MiB; writes the input where it is not there."""
    if not input_file.exists() or input_file.stat().st_size != INPUT_BYTES:
        input_file.parent.mkdir(parents=True, exist_ok=True)
        input_file.write_bytes(secrets.token_bytes(INPUT_BYTES))
    return ProcessCommand(
        program=build.programs[subject.provider],
        provider=subject.provider,
        algorithm=subject.algorithm,
        variant=subject.variant,
        input_file=input_file,
        input_bytes=INPUT_BYTES,
        timeout_seconds=_TIMEOUT_SECONDS,
        output_limit_bytes=_OUTPUT_BYTES,
    )


def measure_pairs(first: Callable[[], Measurement], second: Callable[[], Measurement]) -> Pairs:
    """Measure interleaved pairs until there are enough quiet ones or the budget is spent.

    Raises MeasurementError where an execution fails.
    """
    order = Random(0)  # noqa: S311 - only the order within pairs
    pairs: list[tuple[Timed, Timed]] = []
    quiet, spent_ns = 0, 0.0
    while quiet < PAIRS and len(pairs) < MOST_PAIRS and (spent_ns < BUDGET_SECONDS * 1e9 or len(pairs) < _FEWEST_PAIRS):
        if order.random() < 0.5:
            one, other = timed(first()), timed(second())
        else:
            other, one = timed(second()), timed(first())
        spent_ns += one.wall_ns + other.wall_ns
        quiet += not (one.disturbed or other.disturbed)
        pairs.append((one, other))
    return Pairs(tuple(pairs))


def timed(measurement: Measurement) -> Timed:
    """Return the work's wall time of an execution; raises MeasurementError where it failed."""
    wall_ns = measurement.columns.get("work_wall_ns")
    if measurement.failure is not None or not wall_ns:
        detail = measurement.failure.detail if measurement.failure else "it gave no work_wall_ns"
        raise MeasurementError(f"The control workload failed: {detail}")
    return Timed(wall_ns, bool(measurement.marks))


def describe(command: ProcessCommand, pairs: Pairs) -> dict[str, int | float | str]:
    """Return what a calibration tells of the pairs it rests on."""
    return {
        "pairs": len(pairs.log_ratios),
        "disturbed_pairs": pairs.disturbed,
        "provider": command.provider,
        "algorithm": command.algorithm,
        "variant": command.variant,
        "input_bytes": command.input_bytes,
    }


def median_of_single_pairs(pairs: Pairs) -> float:
    """Return by what share two single executions of the same differ, in the middle of all pairs."""
    return math.expm1(statistics.median(abs(ratio) for ratio in pairs.log_ratios))
