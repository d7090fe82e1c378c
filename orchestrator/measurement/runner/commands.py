"""What a runner can be asked to measure: ``process``, ``noop`` or ``latency``; and what its report must say."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import ProtocolMismatch
from orchestrator.measurement.launch.launcher import Launched
from orchestrator.measurement.machine.cpu_time_split import split_of_this_kernel
from orchestrator.measurement.runner import latency_report, process_report
from orchestrator.measurement.runner.readings import RunnerReadings, parse_as
from orchestrator.wire.base import NOOP
from orchestrator.wire.messages import Fill, KeyFill, KeySetup, LatencyOperation
from orchestrator.wire.runners import LatencyReport, ProcessReport

_NS_PER_MS = 1_000_000


@dataclass(frozen=True)
class Command(ABC):
    """A program with what it shall do, and within which limits."""

    program: Path
    provider: str
    algorithm: str
    variant: str
    timeout_seconds: float
    output_limit_bytes: int

    @abstractmethod
    def arguments(self) -> tuple[str, ...]:
        """Return the program and its arguments."""

    @abstractmethod
    def files(self) -> tuple[Path, ...]:
        """Return what it reads, to be in the page cache before it starts."""

    @abstractmethod
    def read(self, launched: Launched) -> RunnerReadings:
        """Return what it reported; raises ProtocolMismatch where that is not what was asked for."""


@dataclass(frozen=True)
class ProcessCommand(Command):
    """One ``process`` of a runner, or its ``noop`` where that is the algorithm's name."""

    input_file: Path
    input_bytes: int

    def arguments(self) -> tuple[str, ...]:
        """Return the program and its arguments."""
        if self.algorithm == NOOP:
            return (str(self.program), "noop", "--in", str(self.input_file))
        names = ("--algorithm", self.algorithm, "--variant", self.variant)
        return (str(self.program), "process", *names, "--in", str(self.input_file))

    def files(self) -> tuple[Path, ...]:
        """Return program and input."""
        return self.program, self.input_file

    def read(self, launched: Launched) -> RunnerReadings:
        """Return what it reported; raises ProtocolMismatch where that is not what was asked for."""
        report = parse_as(ProcessReport, launched.stdout)
        asked = (self.provider, self.algorithm, self.input_bytes)
        said = (report.provider, report.algorithm, report.input_bytes)
        if said != asked or (report.variant != self.variant and self.algorithm != NOOP):
            raise ProtocolMismatch(f"The runner reports {said} {report.variant}, asked was {asked} {self.variant}.")
        return process_report.read_report(report, launched.ended, split_of_this_kernel())


@dataclass(frozen=True)
class LatencyCommand(Command):
    """One ``latency`` of a runner."""

    operation: LatencyOperation
    message_bytes: int
    associated_data_bytes: int
    fill: Fill
    key_fill: KeyFill
    key_setup: KeySetup
    timings: int
    min_timing_ms: float

    def arguments(self) -> tuple[str, ...]:
        """Return the program and its arguments."""
        options = {
            "--algorithm": self.algorithm,
            "--variant": self.variant,
            "--operation": self.operation,
            "--length": self.message_bytes,
            "--ad-length": self.associated_data_bytes,
            "--fill": self.fill,
            "--key-fill": self.key_fill,
            "--key-setup": self.key_setup,
            "--min-time-ms": self.min_timing_ms,
            "--timings": self.timings,
        }
        words = (str(word) for option in options.items() for word in option)
        return (str(self.program), "latency", *words)

    def files(self) -> tuple[Path, ...]:
        """Return the program: a message is made by the runner itself."""
        return (self.program,)

    def read(self, launched: Launched) -> RunnerReadings:
        """Return what it reported; raises ProtocolMismatch where that is not what was asked for."""
        report = parse_as(LatencyReport, launched.stdout)
        asked = {name: getattr(self, name) for name in _ECHOED} | {"timings": self.timings}
        said = {name: getattr(report, name) for name in _ECHOED} | {"timings": len(report.timings)}
        if said != asked:
            differing = ", ".join(
                f"{name} {said[name]} for {asked[name]}" for name in asked if said[name] != asked[name]
            )
            raise ProtocolMismatch(f"The runner reports something else than was asked: {differing}.")
        if report.min_timing_ns < int(self.min_timing_ms * _NS_PER_MS):
            raise ProtocolMismatch(
                f"The runner's min_timing_ns is {report.min_timing_ns}, asked were {self.min_timing_ms} ms."
            )
        return latency_report.read_report(report, launched.ended, split_of_this_kernel())


_ECHOED = (
    "provider",
    "algorithm",
    "variant",
    "operation",
    "message_bytes",
    "associated_data_bytes",
    "fill",
    "key_setup",
)
"""What a report of ``latency`` repeats of the command."""
