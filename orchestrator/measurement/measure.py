"""Measures one runner once: page cache, environment, core, launcher, monitor and report, put together."""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from orchestrator.errors import MeasurementError, ProtocolMismatch
from orchestrator.measurement.commands import Command
from orchestrator.measurement.disturbance import CoreState, CoreWatch, Work, judge
from orchestrator.measurement.environment import draw_environment
from orchestrator.measurement.launcher import Launched, Launcher, LaunchRequest
from orchestrator.measurement.monitor import Monitor, MonitorPlan, Watched
from orchestrator.measurement.outcome import read_outcome
from orchestrator.measurement.page_cache import WarmFiles
from orchestrator.wire.records import Curve, Failure, Timings


@dataclass(frozen=True)
class Measurement:
    """Everything that is known of one execution."""

    started_at: datetime
    columns: dict[str, int | float | None]
    """The typed fields of a record, as far as there is a report; process_wall_ns always."""
    readings: dict[str, int | float | None]
    absent: dict[str, str]
    marks: list[str]
    curve: Curve | None
    timings: Timings | None
    """None under the process protocol."""
    ciphertext_sha256: str | None
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
            for path in command.files():
                self._warm.warm(path)
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
            self._launcher = Launcher(self._plan.launcher, self._plan.measured_core if self._plan.pinned else None)
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
        columns: dict[str, int | float | None] = {"process_wall_ns": work.process_wall_ns}
        return Measurement(
            started_at=started_at,
            columns=report.columns if report else columns,
            readings=(report.readings if report else {}) | watched.readings | disturbance.readings,
            absent=(report.absent if report else {}) | watched.absent | disturbance.absent,
            marks=disturbance.marks,
            curve=watched.curve,
            timings=report.timings if report else None,
            ciphertext_sha256=report.ciphertext_sha256 if report else None,
            failure=failure,
        )


def _not_launched(started_at: datetime, error: Exception) -> Measurement:
    failure = Failure(error="launch-failed", detail=str(error)[:4000])
    return Measurement(started_at, {}, {}, {}, [], None, None, None, failure)


def _integer(value: int | float | None) -> int | None:
    return None if value is None else int(value)
