"""Commands of a runner (``process``, ``noop``, ``latency``), and the check of their reports."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from orchestrator.measurement.launch.launcher import Launched
from orchestrator.measurement.machine.cpu_time_split import split_of_this_kernel
from orchestrator.measurement.runner import latency_report, process_report
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.masking import require_form
from orchestrator.measurement.runner.readings import RunnerReadings
from orchestrator.shared.errors import ProtocolMismatch
from orchestrator.shared.values.field_errors import expectation
from orchestrator.wire.base import NOOP, Report
from orchestrator.wire.jobs import LatencyCase
from orchestrator.wire.messages import CIPHER_SEQUENCE, Call, phases_of
from orchestrator.wire.runners import LatencyReport, ProcessReport

R = TypeVar("R", bound=Report)


def parse_as(report_type: type[R], stdout: bytes) -> R:
    """Return the report that a runner printed; raises ProtocolMismatch for any other output."""
    try:
        return report_type.model_validate_json(stdout)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the document"
        raise ProtocolMismatch(
            f"The runner printed {len(stdout)} bytes beginning {stdout[:120]!r}; "
            f"expected a report of protocol 2 ({place}: {expectation(first)})."
        ) from error


_NS_PER_MS = 1_000_000


@dataclass(frozen=True)
class ProcessCommand(Command):
    """Command ``process`` of a runner, or ``noop`` if that is the algorithm's name."""

    input_file: Path
    input_bytes: int
    operation: str = CIPHER_SEQUENCE

    def arguments(self) -> tuple[str, ...]:
        """Return the program and its arguments."""
        if self.algorithm == NOOP:
            return (str(self.program), *self.lead, "noop", "--in", str(self.input_file))
        names = ("--algorithm", self.algorithm, "--variant", self.variant)
        return (str(self.program), *self.lead, "process", *names, *self.form.options, "--in", str(self.input_file))

    def files(self) -> tuple[Path, ...]:
        """Return the program and its input."""
        return self.program, *self.more_files, self.input_file

    def read(self, launched: Launched) -> RunnerReadings:
        """Return the reported readings; raises ProtocolMismatch if the report does not match the command."""
        report = parse_as(ProcessReport, launched.stdout)
        expected = (self.provider, self.algorithm, self.input_bytes)
        reported = (report.provider, report.algorithm, report.input_bytes)
        if reported != expected or (report.variant != self.variant and self.algorithm != NOOP):
            raise ProtocolMismatch(
                f"The runner reports {reported} {report.variant}, expected {expected} {self.variant}."
            )
        require_form(report.masking, self.form)
        phases = phases_of(NOOP if self.algorithm == NOOP else self.operation)
        return process_report.read_report(report, phases, launched.ended, split_of_this_kernel())


@dataclass(frozen=True)
class LatencyCommand(Command):
    """Command ``latency`` of a runner."""

    case: LatencyCase

    def arguments(self) -> tuple[str, ...]:
        """Return the program and its arguments."""
        case = self.case
        options = {
            "--algorithm": case.algorithm,
            "--variant": case.variant,
            "--length": case.message_bytes,
            "--ad-length": case.associated_data_bytes,
            "--fill": case.fill,
            "--key-fill": case.key_fill,
            "--key-setup": case.key_setup,
            "--min-time-ms": case.min_timing_ms,
            "--timings": case.timings,
        }
        arguments = (str(part) for option in options.items() for part in option)
        call = Call.of(case.operation).options
        return (str(self.program), *self.lead, "latency", *call, *arguments, *self.form.options)

    def files(self) -> tuple[Path, ...]:
        """Return the program; the runner itself generates the message."""
        return self.program, *self.more_files

    def read(self, launched: Launched) -> RunnerReadings:
        """Return the reported readings; raises ProtocolMismatch if the report does not match the command."""
        report = parse_as(LatencyReport, launched.stdout)
        case, call = self.case, asdict(Call.of(self.case.operation))
        expected = {name: getattr(case, name) for name in _ECHOED} | {"timings": case.timings} | call
        reported = {name: getattr(report, name) for name in (*_ECHOED, *call)}
        reported |= {"timings": len(report.timings)}
        if reported != expected:
            differing = ", ".join(
                f"{name} {reported[name]} for {expected[name]}" for name in expected if reported[name] != expected[name]
            )
            raise ProtocolMismatch(f"The runner's report does not match the command: {differing}.")
        require_form(report.masking, self.form)
        if report.min_timing_ns < int(case.min_timing_ms * _NS_PER_MS):
            raise ProtocolMismatch(
                f"The runner's min_timing_ns is {report.min_timing_ns}, expected {case.min_timing_ms} ms or more."
            )
        return latency_report.read_report(report, launched.ended, split_of_this_kernel())


_ECHOED = (
    "provider",
    "algorithm",
    "variant",
    "message_bytes",
    "associated_data_bytes",
    "fill",
    "key_setup",
)
"""Fields of the case that a report of ``latency`` repeats."""
