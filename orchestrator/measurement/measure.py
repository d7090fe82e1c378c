"""Measures one runner once: page cache, environment, core, launcher, monitor and report, put together."""

import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from orchestrator.errors import MeasurementError, ProtocolMismatch
from orchestrator.measurement.disturbance import CoreState, CoreWatch, Work, judge
from orchestrator.measurement.environment import draw_environment
from orchestrator.measurement.launcher import Launched, Launcher, LaunchRequest
from orchestrator.measurement.monitor import Monitor, MonitorPlan, Watched
from orchestrator.measurement.page_cache import WarmFiles
from orchestrator.measurement.runner_report import RunnerReadings, parse_report, read_report
from orchestrator.wire.records import Curve, Failure
from orchestrator.wire.runners import EXIT_MEANINGS, ProcessReport

_STDERR_CHARACTERS = 8192
_DOCUMENTED_REFUSALS = (2, 3, 4, 5)
_NOT_VERIFIED = 6


@dataclass(frozen=True)
class Command:
    """One ``process`` or ``noop`` of a runner, and what its report has to say."""

    program: Path
    provider: str
    algorithm: str
    """``noop`` for the runner's ``noop`` command."""
    variant: str
    input_file: Path
    input_bytes: int
    timeout_seconds: float
    output_limit_bytes: int

    @property
    def is_noop(self) -> bool:
        """Tell whether nothing is encrypted."""
        return self.algorithm == "noop"

    def arguments(self) -> tuple[str, ...]:
        """Return the program and its arguments."""
        if self.is_noop:
            return (str(self.program), "noop", "--in", str(self.input_file))
        names = ("--algorithm", self.algorithm, "--variant", self.variant)
        return (str(self.program), "process", *names, "--in", str(self.input_file))


@dataclass(frozen=True)
class Measurement:
    """Everything that is known of one execution."""

    started_at: datetime
    columns: dict[str, int | None]
    """The typed fields of a record, as far as there is a report; process_wall_ns always."""
    readings: dict[str, int | float | None]
    absent: dict[str, str]
    marks: list[str]
    curve: Curve | None
    ciphertext_sha256: str | None
    verified: bool
    failure: Failure | None


@dataclass(frozen=True)
class InstrumentPlan:
    """How one agent measures."""

    launcher: Path
    measured_core: int
    pinned: bool
    """False on a machine with one core, where pinning would change nothing."""
    monitor: MonitorPlan


class Instrument:
    """Measures one execution after another; keeps its launcher, files and buffers between them."""

    def __init__(self, plan: InstrumentPlan, random: Random | None = None) -> None:
        """Open what stays open; the launcher starts with the first execution."""
        self._plan = plan
        self._random = random or Random(secrets.randbits(64))  # noqa: S311 - a layout, not a secret
        self._core = CoreWatch(plan.measured_core)
        self._warm = WarmFiles()
        self._launcher: Launcher | None = None

    def measure(self, command: Command, monitor_plan: MonitorPlan | None = None) -> Measurement:
        """Execute the command once. What goes wrong with the runner is told in `failure`, never raised.

        monitor_plan: another density of sampling than the agent's own (calibration asks for it).
        """
        monitor = Monitor(monitor_plan or self._plan.monitor, command.program, self._plan.measured_core)
        environment = draw_environment(self._random)
        request = LaunchRequest(
            arguments=command.arguments(),
            timeout_seconds=command.timeout_seconds,
            output_limit_bytes=command.output_limit_bytes,
            cpu=self._plan.measured_core if self._plan.pinned else None,
            environment=environment.variables,
        )
        started_at = datetime.now(UTC)
        try:
            self._warm.read(command.program)
            self._warm.read(command.input_file)
            before = self._core.state()
            launched = self._running_launcher().execute(request, monitor)
            after = self._core.state()
        except (MeasurementError, ProtocolMismatch, OSError) as error:
            monitor.finish()
            self._close_launcher()
            return _not_launched(started_at, error)
        measurement = self._assemble(command, launched, monitor.finish(), (before, after), started_at)
        measurement.readings["environment_padding_bytes"] = environment.padding_bytes
        return measurement

    def kill_running(self) -> None:
        """End the runner in work at once; may come from any thread."""
        launcher = self._launcher
        if launcher is not None:
            launcher.kill_running()

    def close(self) -> None:
        """End the launcher and close the files."""
        self._close_launcher()
        self._core.close()
        self._warm.close()

    def _running_launcher(self) -> Launcher:
        if self._launcher is None:
            self._launcher = Launcher(self._plan.launcher)
        return self._launcher

    def _close_launcher(self) -> None:
        if self._launcher is not None:
            self._launcher.close()
            self._launcher = None

    def _assemble(
        self,
        command: Command,
        launched: Launched,
        watched: Watched,
        core: tuple[CoreState, CoreState],
        started_at: datetime,
    ) -> Measurement:
        report, failure = read_outcome(command, launched)
        ended = launched.ended
        work = Work(
            process_wall_ns=ended.end_ns - ended.spawn_ns,
            process_cpu_ns=(ended.user_us + ended.system_us) * 1000,
            major_faults=report.major_faults if report else None,
            involuntary_switches=report.involuntary_switches if report else ended.involuntary_switches,
            migrations=_integer(watched.readings["migrations"]),
        )
        disturbance = judge(*core, work, self._core.frequency_reason)
        columns: dict[str, int | None] = {"process_wall_ns": work.process_wall_ns}
        return Measurement(
            started_at=started_at,
            columns=report.columns if report else columns,
            readings=(report.readings if report else {}) | watched.readings | disturbance.readings,
            absent=(report.absent if report else {}) | watched.absent | disturbance.absent,
            marks=disturbance.marks,
            curve=watched.curve,
            ciphertext_sha256=report.ciphertext_sha256 if report else None,
            verified=report is not None and report.verified,
            failure=failure,
        )


def read_outcome(command: Command, launched: Launched) -> tuple[RunnerReadings | None, Failure | None]:
    """Return the report of a runner that finished its work (verified or not), or the failure of one that did not."""
    ended = launched.ended
    if ended.timed_out:
        return None, _failure("runner-timeout", f"Ended after {command.timeout_seconds:g} s.", launched)
    if ended.output_exceeded:
        limit = command.output_limit_bytes
        return None, _failure("runner-output-exceeded", f"Ended after more than {limit} bytes of output.", launched)
    if ended.signal is not None:
        return None, _failure("runner-crashed", f"Ended by signal {ended.signal}.", launched)
    if ended.exit_code in _DOCUMENTED_REFUSALS:
        return None, _failure("runner-refused", _words_of_exit(launched), launched)
    if ended.exit_code not in (0, _NOT_VERIFIED):
        return None, _failure("runner-crashed", _words_of_exit(launched), launched)
    try:
        report = parse_report(launched.stdout)
        _require_what_was_asked(command, report)
        readings = read_report(report, ended)
        if readings.verified != (ended.exit_code == 0):
            raise ProtocolMismatch(f"The runner said verified={report.verified} and ended with {ended.exit_code}.")
    except ProtocolMismatch as error:
        return None, _failure("protocol-mismatch", str(error), launched)
    if readings.verified:
        return readings, None
    return readings, _failure("not-verified", "What it decrypted is not what it had encrypted.", launched)


def _require_what_was_asked(command: Command, report: ProcessReport) -> None:
    asked = (command.provider, command.algorithm, command.input_bytes)
    said = (report.provider, report.algorithm, report.input_bytes)
    if said != asked or (report.variant != command.variant and not command.is_noop):
        raise ProtocolMismatch(f"The runner reports {said} {report.variant}, asked was {asked} {command.variant}.")


def _words_of_exit(launched: Launched) -> str:
    """Return the runner's own sentence where it gave one."""
    code = launched.ended.exit_code
    meaning = EXIT_MEANINGS.get(code if code is not None else -1, "an undocumented exit code")
    last = launched.stderr.rstrip().rpartition(b"\n")[2]
    try:
        document = json.loads(last)
        said = f"{document['error']}: {document['detail']}"
    except (ValueError, KeyError, TypeError):
        said = "it gave no error line"
    return f"Exit {code} ({meaning}); {said}."


def _failure(error: str, detail: str, launched: Launched) -> Failure:
    tail = launched.stderr.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    return Failure(
        error=error,
        detail=detail[:4000],
        exit_code=launched.ended.exit_code,
        signal=launched.ended.signal,
        stderr_tail=tail[-_STDERR_CHARACTERS:],
    )


def _not_launched(started_at: datetime, error: Exception) -> Measurement:
    failure = Failure(error="launch-failed", detail=str(error)[:4000])
    return Measurement(started_at, {}, {}, {}, [], None, None, False, failure)


def _integer(value: int | float | None) -> int | None:
    return None if value is None else int(value)
