"""Measurement of one execution, from page cache, environment, machine state, launcher, monitor and report."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from orchestrator.measurement.instrument.around import Around, State
from orchestrator.measurement.instrument.fine_curve import Samples
from orchestrator.measurement.instrument.monitor import MonitorPlan, Watched
from orchestrator.measurement.instrument.outcome import KILLED, NOT_LAUNCHED, OUT_OF_MEMORY, read_outcome
from orchestrator.measurement.instrument.shell_watch import ShellWatchPlan
from orchestrator.measurement.instrument.waiting import Waited
from orchestrator.measurement.launch.environment import RunnerEnvironment, draw_environment
from orchestrator.measurement.launch.launcher import Launched, Launcher, LaunchRequest, Sent
from orchestrator.measurement.launch.leak_check import has_leak_check
from orchestrator.measurement.launch.page_cache import WarmFiles
from orchestrator.measurement.machine.cgroup_memory import peak_readings
from orchestrator.measurement.machine.core_watch import Work
from orchestrator.measurement.machine.evictions import Evictions, MemoryKills
from orchestrator.measurement.machine.marks import GARBAGE_COLLECTION
from orchestrator.measurement.machine.process_peak import (
    counter_error_of_this_machine,
    process_peak_readings,
    runner_peak_readings,
)
from orchestrator.measurement.machine.roots import KERNEL, Roots
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.readings import RunnerReadings
from orchestrator.measurement.sensors.base import Sensors
from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import MeasurementError, ProtocolMismatch
from orchestrator.shared.values.boot_clock import boot_time

if TYPE_CHECKING:
    from orchestrator.wire.launcher import Ended, Started
    from orchestrator.wire.plans import Conditions
    from orchestrator.wire.records import Failure, TimingSeries

NO_SENSORS = Sensors((), (), {})
"""Sensors of a machine on which none were searched."""


@dataclass(frozen=True)
class Measurement:
    """Result of one execution."""

    started_at: datetime
    columns: dict[str, int | float | None]
    """Typed fields of a record; without a report, process_wall_ns only."""
    readings: dict[str, int | float | None]
    absent: dict[str, str]
    marks: list[str]
    curve: Samples | None
    timings: "TimingSeries | None"
    """None in the process protocol."""
    output_sha256: str | None
    failure: "Failure | None"
    phase_wall_ns: dict[str, int] = field(default_factory=dict)
    """Time of each operation of a process."""
    provenance: dict[str, str] = field(default_factory=dict)
    """Reading → source, for readings whose source depends on the machine."""


@dataclass(frozen=True)
class Executed:
    """An execution that has ended, with its readings not computed yet."""

    measurement: Callable[[], Measurement]
    """Computes the measurement; to be called once, from any thread."""
    succeeded: bool
    """Whether the program exited with 0, so that the infrastructure cannot have failed."""
    began_boot_ns: int | None = None
    """Start of the program, CLOCK_BOOTTIME; None if it is that of the call."""

    @classmethod
    def of(cls, measurement: Measurement) -> "Executed":
        """Return an execution whose measurement is known."""
        return cls(lambda: measurement, measurement.failure is None)


@dataclass(frozen=True)
class InstrumentPlan:
    """Configuration of an instrument."""

    launcher: Path
    measured_core: int
    pinned: bool
    """False on a machine with one core, where pinning has no effect."""
    monitor: MonitorPlan
    exit_stop: bool = True
    """Whether programs are stopped at their exit to read their peak memory."""
    sensors: Sensors = NO_SENSORS
    """Sensors of the machine; the caller closes them."""
    roots: Roots = KERNEL
    descriptors: tuple[int, ...] = ()
    """Descriptors that commands name as streams."""
    environment: Callable[[Random], RunnerEnvironment] = draw_environment
    """Function that draws the environment of one execution."""
    outcome: Callable[[Command, Launched], "tuple[RunnerReadings | None, Failure | None]"] = read_outcome
    """Function that returns the outcome: of a runner by its protocol, of another program by its exit code."""


@dataclass(frozen=True)
class _Sent:
    """A command that the launcher has, and its environment."""

    command: Command
    environment: RunnerEnvironment
    request: Sent


@dataclass(frozen=True)
class _States:
    """The machine before and after an execution."""

    before: State
    after: State
    next_cpu_ns: int
    """As in Work."""


class Instrument(Closable):
    """Measures executions one after the other, and keeps its launcher, files and buffers between them."""

    def __init__(self, plan: InstrumentPlan, random: Random | None = None) -> None:
        """Open the files; the launcher starts with the first execution."""
        self._plan = plan
        self._random = random or Random(os.urandom(8))  # noqa: S311 - a layout, not a secret
        self._around = Around(plan.measured_core, plan.sensors, plan.roots)
        self._before = self._around.before()
        """State before the present execution: of one that the launcher started itself, the state after the last."""
        self._warm = WarmFiles(Evictions(plan.roots))
        self._launcher: Launcher | None = None
        self._ahead: _Sent | None = None
        self._memory_kills = MemoryKills(plan.roots)
        self._counter_error_bytes = counter_error_of_this_machine(pinned=plan.pinned)

    @property
    def sensors(self) -> Sensors:
        """Sensors and energy meters of the machine."""
        return self._plan.sensors

    def wait(self, conditions: "Conditions", stopped: Callable[[], bool], report: Callable[[str], None]) -> Waited:
        """Wait until the machine is cool and quiet enough, `stopped` returns True or the plan's limit is reached.

        report: receives what the instrument waits for, whenever that changes.
        """
        return self._around.wait(conditions, stopped, report)

    @property
    def pinned(self) -> bool:
        """True if runners have a core of their own."""
        return self._plan.pinned

    def measure(self, command: Command, monitor_plan: MonitorPlan | ShellWatchPlan | None = None) -> Measurement:
        """Execute the command once and return its measurement; errors are returned in `failure`, never raised.

        monitor_plan: replaces the sampling of the agent, for example by none (monitor.UNWATCHED).
        """
        return self.execute(command, monitor_plan).measurement()

    @property
    def is_ahead(self) -> bool:
        """True if the launcher executes a command whose measurement has not been requested yet."""
        return self._ahead is not None

    def execute(
        self,
        command: Command,
        monitor_plan: MonitorPlan | ShellWatchPlan | None = None,
        when_started: Callable[[], None] | None = None,
        following: Callable[[], Command | None] = lambda: None,
    ) -> Executed:
        """Execute the command once, as `measure`, and return before its report is read.

        when_started: called while the program works, unless it could not be started.
        following: returns, at the program's start, the command of the next call if that is certain. The launcher starts
        it right after this one, where runners have a core of their own; with another next command it is discarded.
        """
        monitor = (monitor_plan or self._plan.monitor).open(command.program, self._plan.measured_core)

        def started(event: "Started") -> None:
            if event.accepts_next and self._plan.pinned and (after_this := following()) is not None:
                self._send_ahead(after_this)
            if when_started is not None:
                when_started()

        try:
            sent = self._taken(command) or self._send(command)
            launched = self._running_launcher().wait(sent.request, monitor, started)
            peak = self._around.peak.peak(launched.ended.cgroup_peak_bytes)
            before, self._before = self._before, self._around.after()
            read_ns = time.monotonic_ns()
        except (MeasurementError, ProtocolMismatch, OSError) as error:
            monitor.finish()
            self._close_launcher()
            return Executed.of(_not_launched(error))
        ended = launched.ended
        began_before_ns = read_ns - ended.spawn_ns
        started_at = datetime.now(UTC) - timedelta(microseconds=began_before_ns / 1e3)
        states = _States(before, self._before, read_ns - ended.end_ns if self.is_ahead else 0)
        self._around.note_own(_cpu_ns(ended))
        if ended.major_faults:
            self._warm.forget()

        def measurement() -> Measurement:
            measured = self._assemble(command, launched, monitor.finish(), states, started_at)
            measured.readings["environment_padding_bytes"] = sent.environment.padding_bytes
            self._add_peaks(measured, ended, peak)
            return measured

        return Executed(measurement, ended.exit_code == 0, boot_time().at_ns - began_before_ns)

    def _send(self, command: Command) -> _Sent:
        """Send the command, with its files in memory, and note the state before its start."""
        request, environment = self._request(command)
        self._warm.warm(command.files())
        launcher = self._running_launcher()
        self._before = self._around.before()
        return _Sent(command, environment, launcher.send(request))

    def _send_ahead(self, command: Command) -> None:
        """Send the command while another one works, unless its files would have to be read next to that."""
        if self._warm.are_warm(command.files()):
            request, environment = self._request(command)
            self._ahead = _Sent(command, environment, self._running_launcher().send(request))

    def _taken(self, command: Command) -> _Sent | None:
        """Return what was sent ahead if it is this very command, and discard another one."""
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead.command is command:
            return ahead
        self._running_launcher().discard(ahead.request)
        return None

    def _request(self, command: Command) -> tuple[LaunchRequest, RunnerEnvironment]:
        environment = self._plan.environment(self._random)
        request = LaunchRequest(
            arguments=command.arguments(),
            timeout_seconds=command.timeout_seconds,
            output_limit_bytes=command.output_limit_bytes,
            cpu=self._plan.measured_core if self._plan.pinned else None,
            environment=environment.variables,
            untraced=self._plan.exit_stop and has_leak_check(command.program),
            streams=command.streams(),
        )
        return request, environment

    def _add_peaks(self, measurement: Measurement, ended: "Ended", peak: tuple[int | None, str]) -> None:
        """Add the readings that compare the sources of peak memory."""
        curve_peak_bytes = _integer(measurement.readings["curve_peak_rss_bytes"])
        runner_peak_bytes = _integer(measurement.columns.get("peak_rss_bytes"))
        for readings, absent in (
            peak_readings(peak, runner_peak_bytes, ended.max_rss_bytes),
            runner_peak_readings(runner_peak_bytes, self._counter_error_bytes),
            process_peak_readings(ended, curve_peak_bytes, self._counter_error_bytes),
        ):
            measurement.readings.update(readings)
            measurement.absent.update(absent)

    def kill_running(self) -> None:
        """Kill the current runner immediately; may be called from any thread."""
        launcher = self._launcher
        if launcher is not None:
            launcher.kill_running()

    def close(self) -> None:
        """End the launcher and close the files."""
        self._close_launcher()
        self._around.close()
        self._warm.close()

    def _running_launcher(self) -> Launcher:
        if self._launcher is None:
            core = self._plan.measured_core if self._plan.pinned else None
            self._launcher = Launcher(
                self._plan.launcher,
                core,
                self._plan.descriptors,
                exit_stop=self._plan.exit_stop,
                memory_group=self._around.peak.open(),
            )
            self._around.peak.admit(self._launcher.pid)
        return self._launcher

    def _close_launcher(self) -> None:
        self._ahead = None
        if self._launcher is not None:
            self._launcher.close()
            self._launcher = None

    def _assemble(
        self,
        command: Command,
        launched: Launched,
        watched: Watched,
        states: _States,
        started_at: datetime,
    ) -> Measurement:
        report, failure = self._plan.outcome(command, launched)
        if failure is not None and failure.error == KILLED and (kills := self._memory_kills.new()):
            detail = f"{failure.detail} The kernel ended {kills} processes for lack of memory since the job's start."
            failure = failure.model_copy(update={"error": OUT_OF_MEMORY, "detail": detail})
        ended = launched.ended
        work = Work(
            process_wall_ns=ended.end_ns - ended.spawn_ns,
            process_cpu_ns=_cpu_ns(ended) + (report.driver_cpu_ns if report else 0),
            major_faults=report.major_faults if report else None,
            involuntary_switches=report.involuntary_switches if report else ended.involuntary_switches,
            voluntary_switches=ended.voluntary_switches,
            migrations=_integer(watched.readings["migrations"]),
            phases_descheduled_ns=report.phases_descheduled_ns if report else None,
            next_cpu_ns=states.next_cpu_ns,
        )
        disturbance = self._around.judge(states.before, states.after, work)
        columns: dict[str, int | float | None] = {"process_wall_ns": work.process_wall_ns}
        return Measurement(
            started_at=started_at,
            columns=report.columns if report else columns,
            readings={**(report.readings if report else {}), **watched.readings, **disturbance.readings},
            absent={**(report.absent if report else {}), **watched.absent, **disturbance.absent},
            marks=[*disturbance.marks, *([GARBAGE_COLLECTION.name] if report and report.garbage_collections else [])],
            curve=watched.curve,
            timings=report.timings if report else None,
            output_sha256=report.output_sha256 if report else None,
            failure=failure,
            phase_wall_ns=report.phase_wall_ns if report else {},
            provenance=watched.provenance,
        )


def _cpu_ns(ended: "Ended") -> int:
    """Return the CPU time of a process that has ended."""
    return (ended.user_us + ended.system_us) * 1000


def _not_launched(error: Exception) -> Measurement:
    from orchestrator.wire.records import Failure  # noqa: PLC0415 - see outcome.py

    failure = Failure(error=NOT_LAUNCHED, detail=str(error)[:4000])
    return Measurement(datetime.now(UTC), {}, {}, {}, [], None, None, None, failure)


def _integer(value: int | float | None) -> int | None:
    return None if value is None else int(value)
