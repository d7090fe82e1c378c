"""Health checks on request of the service: between jobs, never during a measurement."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog

from orchestrator.compilation.proved import ProvedBuild
from orchestrator.daemon.health.calibration import (
    CALIBRATIONS_FILE,
    INPUT_FILE,
    Control,
    floor_of,
    measure_control,
    renew,
)
from orchestrator.daemon.health.control_workload import control_command
from orchestrator.daemon.health.preflight import PreflightReports
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.daemon.session.machine_lock import MachineLock
from orchestrator.daemon.session.measuring_lock import MeasuringLock
from orchestrator.daemon.session.orders import Orders
from orchestrator.daemon.session.status import Status
from orchestrator.measurement.instrument.measure import Instrument, Measurement
from orchestrator.measurement.instrument.surroundings import SurroundingsWatch
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.sensors.base import Sensors
from orchestrator.measurement.sensors.throttling import throttled_now
from orchestrator.shared.errors import CiphermarkError, MeasurementError, Unreachable
from orchestrator.statistics.median import median, median_interval
from orchestrator.wire.builds import CalibrationReport
from orchestrator.wire.health import ControlWorkload, HealthCheckReport

_MAX_REASON_CHARACTERS = 400


@dataclass(frozen=True)
class HealthResult:
    """Result of a health check: the report, and the noise floor measured with it."""

    check: HealthCheckReport
    floor: CalibrationReport


def assess_health(build_key: str, control: Control, sensors: Sensors) -> HealthResult:
    """Return the result for a control workload that was just measured, with current sensor readings."""
    floor, around = floor_of(build_key, control), SurroundingsWatch(sensors).state()
    bits, celsius = around.throttled, around.temperature
    absent = {"throttled": bits.reason, "temperature_celsius": celsius.reason}
    executions = control.pairs.executions
    check = HealthCheckReport(
        build_key=build_key,
        checked_at=datetime.now(UTC),
        control=_workload(control),
        noise_floor=floor.value,
        disturbed_share=sum(one.disturbed for one in executions) / len(executions),
        throttled=None if bits.value is None else sorted(throttled_now(bits.value)),
        temperature_celsius=celsius.value,
        absent={name: reason[:_MAX_REASON_CHARACTERS] for name, reason in absent.items() if reason},
    )
    return HealthResult(check, floor)


def _workload(control: Control) -> ControlWorkload:
    walls_ns = control.pairs.walls_ns
    interval = median_interval(walls_ns)
    return ControlWorkload(
        provider=control.command.provider,
        algorithm=control.command.algorithm,
        variant=control.command.variant,
        input_bytes=control.command.input_bytes,
        executions=len(walls_ns),
        median_work_wall_ns=median(walls_ns),
        low_work_wall_ns=interval.low if interval else None,
        high_work_wall_ns=interval.high if interval else None,
    )


REQUESTED_CHECK = 0
"""Number of the only order: a check."""
_WAIT_SECONDS = 1.0
"""How long one look for a request waits."""
_REST_SECONDS = 60.0
"""Pause after a check that failed or that the service rejected."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ControlInstrument:
    """Measures the control workload."""

    proved: ProvedBuild
    """The default build, whose runner executes the control workload."""
    new_instrument: Callable[[], Instrument]
    measuring: MeasuringLock
    """Held during each execution, so that slow sensors and the delivery of records wait for it."""

    def measure(self, input_file: Path) -> Control:
        """Return the control workload's measurements; raises MeasurementError."""
        command = control_command(self.proved, input_file)
        if command is None:
            raise MeasurementError("No implementation of the default build has passed its known answers.")
        instrument = self.new_instrument()

        def measure(command: Command) -> Measurement:
            with self.measuring:
                return instrument.measure(command)

        try:
            return measure_control(command, measure)
        finally:
            instrument.close()


class HealthChecks:
    """Performs health checks and keeps their results until the service has them."""

    def __init__(
        self,
        *,
        instrument: ControlInstrument,
        folder: Path,
        sensors: Sensors,
        preflight: PreflightReports,
        client: ServiceClient,
        status: Status,
        machine_lock: MachineLock,
        request: Orders[bool],
    ) -> None:
        """Create the checks; folder: holds the calibrations and the control workload's input."""
        self.request = request
        self._instrument = instrument
        self._input_file = folder / INPUT_FILE
        self._calibrations_file = folder / CALIBRATIONS_FILE
        self._sensors = sensors
        self._preflight = preflight
        self._client = client
        self._status = status
        self._machine_lock = machine_lock
        self._unsent: deque[HealthResult] = deque()

    def take(self, control: Control) -> HealthResult:
        """Assess a control workload that was just measured, and keep the result for sending."""
        result = assess_health(self._instrument.proved.build.build_key, control, self._sensors)
        self._preflight.take()
        self._unsent.append(result)
        check = result.check
        _log.info(
            "health checked",
            control_work_wall_ns=check.control.median_work_wall_ns,
            noise_floor=check.noise_floor,
            disturbed_share=check.disturbed_share,
            throttled=check.throttled,
        )
        return result

    def work(self, seconds: float = _WAIT_SECONDS) -> None:
        """Send the oldest unsent result; if there is none, perform a check if one is requested within `seconds`.

        Raises Unreachable; unsent results are sent by the next call.
        """
        if self._unsent:
            self._send()
        elif self.request.start_next(seconds):
            try:
                self._check()
            except (MeasurementError, OSError) as error:
                _log.error("health check failed", error=str(error))
                self.request.finish(_REST_SECONDS)

    def _check(self) -> None:
        with self._machine_lock.held():
            self._status.report("preparing", "checking its health")
            try:
                renew(self._calibrations_file, self.take(self._instrument.measure(self._input_file)).floor)
            finally:
                self._status.report("ready")

    def _send(self) -> None:
        result = self._unsent[0]
        rest_seconds = 0.0
        try:
            self._client.report_calibration(result.floor)
            self._client.report_health(result.check)
        except Unreachable:
            raise
        except CiphermarkError as error:
            # The service rejected the payload; retrying cannot succeed.
            _log.error("service rejected a health check", error=str(error))
            rest_seconds = _REST_SECONDS
        self._unsent.popleft()
        self.request.finish(rest_seconds, REQUESTED_CHECK)
