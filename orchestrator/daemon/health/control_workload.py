"""The control workload: one proved implementation over 1 MiB, executed in interleaved pairs with itself."""

import math
import secrets
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.proofs import ProofBook
from orchestrator.compilation.proved import ProvedBuild
from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.measurement.runner.commands import ProcessCommand
from orchestrator.shared.errors import MeasurementError
from orchestrator.statistics.median import MIN_FOR_INTERVAL
from orchestrator.wire.base import NOOP, NOOP_VARIANT

INPUT_BYTES = 1024 * 1024
PAIRS = 40
"""Number of undisturbed pairs to measure."""
MAX_PAIRS = 80
"""Maximum number of pairs, reached on a machine where most are disturbed."""
BUDGET_SECONDS = 4.0
"""Time limit; a slow implementation on a slow device gets fewer pairs."""
_TIMEOUT_SECONDS = 20.0
_OUTPUT_BYTES = 65536
_MIN_PAIRS = 6
_PREFERRED = ("aes-128-ctr", "chacha20-ietf", "chacha20-128")


@dataclass(frozen=True)
class Subject:
    """The implementation that is executed: a fast one whose known answers have passed."""

    provider: str
    algorithm: str
    variant: str


@dataclass(frozen=True)
class TimedExecution:
    """Time of one execution."""

    wall_ns: float
    disturbed: bool
    """Whether the execution has a disturbance."""


@dataclass(frozen=True)
class InterleavedPairs:
    """Interleaved pairs of executions, each in random order."""

    of: tuple[tuple[TimedExecution, TimedExecution], ...]

    @property
    def executions(self) -> list[TimedExecution]:
        """All executions, pair by pair."""
        return [one for pair in self.of for one in pair]

    @property
    def disturbed(self) -> int:
        """Number of pairs with a disturbance."""
        return sum(first.disturbed or second.disturbed for first, second in self.of)

    @property
    def log_ratios(self) -> list[float]:
        """ln(first / second) of the undisturbed pairs; of all pairs if too few are undisturbed."""
        quiet = [pair for pair in self.of if not (pair[0].disturbed or pair[1].disturbed)]
        chosen = quiet if len(quiet) >= _MIN_PAIRS else self.of
        return [math.log(first.wall_ns / second.wall_ns) for first, second in chosen]

    @property
    def walls_ns(self) -> list[float]:
        """Times of the undisturbed executions; of all executions if too few are undisturbed for an interval."""
        quiet = [one.wall_ns for one in self.executions if not one.disturbed]
        return quiet if len(quiet) >= MIN_FOR_INTERVAL else [one.wall_ns for one in self.executions]


def choose_subject(build: InstalledBuild, proofs: ProofBook) -> Subject | None:
    """Return a proved default implementation of ``process``: preferably a fast algorithm, own code before libraries."""
    candidates = []
    for runner in build.report.runners:
        for i in runner.listing.implementations:
            executed = i.process or not i.operations
            if not (i.default and i.variant and executed):
                continue
            if proofs.admits(runner.sha256, runner.provider, i.algorithm, i.variant):
                preference = _PREFERRED.index(i.algorithm) if i.algorithm in _PREFERRED else len(_PREFERRED)
                candidates.append((preference, runner.provider != "own", runner.provider, i.algorithm, i.variant))
    return Subject(*min(candidates)[2:]) if candidates else None


def noop_command(build: InstalledBuild, input_file: Path) -> ProcessCommand | None:
    """Return the command that executes no cipher, and write its input; None without a runner of ciphers.

    Runners of other operations need no ``noop``.
    """
    for runner in build.report.runners:
        if any(not one.operations for one in runner.listing.implementations):
            return command_of(build, Subject(runner.provider, NOOP, NOOP_VARIANT), input_file)
    return None


def control_command(proved: ProvedBuild, input_file: Path) -> ProcessCommand | None:
    """Return the command of the control workload and write its input; None if no implementation has been proved."""
    subject = choose_subject(proved.build, proved.proofs)
    return None if subject is None else command_of(proved.build, subject, input_file)


def command_of(build: InstalledBuild, subject: Subject, input_file: Path) -> ProcessCommand:
    """Return the command that executes the subject, or noop, over 1 MiB; writes the input file if it is missing."""
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


def measure_pairs(first: Callable[[], Measurement], second: Callable[[], Measurement]) -> InterleavedPairs:
    """Measure interleaved pairs until enough are undisturbed or the time limit is reached.

    Raises MeasurementError when an execution fails.
    """
    order = Random(0)  # noqa: S311 - only the order within pairs
    pairs: list[tuple[TimedExecution, TimedExecution]] = []
    undisturbed, spent_ns = 0, 0.0
    while (
        undisturbed < PAIRS and len(pairs) < MAX_PAIRS and (spent_ns < BUDGET_SECONDS * 1e9 or len(pairs) < _MIN_PAIRS)
    ):
        if order.random() < 0.5:
            one, other = timed(first()), timed(second())
        else:
            other, one = timed(second()), timed(first())
        spent_ns += one.wall_ns + other.wall_ns
        undisturbed += not (one.disturbed or other.disturbed)
        pairs.append((one, other))
    return InterleavedPairs(tuple(pairs))


def timed(measurement: Measurement) -> TimedExecution:
    """Return the work wall time of an execution; raises MeasurementError if it failed."""
    wall_ns = measurement.columns.get("work_wall_ns")
    if measurement.failure is not None or not wall_ns:
        detail = measurement.failure.detail if measurement.failure else "it reported no work_wall_ns"
        raise MeasurementError(f"The control workload failed: {detail}")
    return TimedExecution(wall_ns, bool(measurement.marks))


def describe(command: ProcessCommand, pairs: InterleavedPairs) -> dict[str, int | float | str]:
    """Return the details of a calibration: the command, and the number of pairs."""
    return {
        "pairs": len(pairs.log_ratios),
        "disturbed_pairs": pairs.disturbed,
        "provider": command.provider,
        "algorithm": command.algorithm,
        "variant": command.variant,
        "input_bytes": command.input_bytes,
    }


def median_of_single_pairs(pairs: InterleavedPairs) -> float:
    """Return the median relative difference of two single executions of the same command."""
    return math.expm1(statistics.median(abs(ratio) for ratio in pairs.log_ratios))
