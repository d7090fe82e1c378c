"""Checks the machine's health when the service asks for it: between jobs, never while one is measured."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from orchestrator.daemon.builds.proved import ProvedBuild
from orchestrator.daemon.health.calibration import CALIBRATIONS_FILE, INPUT_FILE, Control, measure_control, renew
from orchestrator.daemon.health.check import Finding, finding_of
from orchestrator.daemon.health.control_workload import control_command
from orchestrator.daemon.health.order import CheckOrder
from orchestrator.daemon.health.preflight import PreflightReports
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.daemon.session.status import Status
from orchestrator.daemon.session.turns import Turns
from orchestrator.errors import CiphermarkError, MeasurementError, Unreachable
from orchestrator.measurement.instrument.measure import Instrument, Measurement
from orchestrator.measurement.runner.commands import Command
from orchestrator.measurement.sensors.base import Sensors

_WAIT_SECONDS = 1.0
_RETRY_SECONDS = 2.0
_REST_SECONDS = 60.0
"""After a check that failed, or that the service refused."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class CheckParts:
    """What checks are made with."""

    proved: ProvedBuild
    """The build that the daemon made at its start."""
    folder: Path
    """Of the calibrations and their input."""
    new_instrument: Callable[[], Instrument]
    sensors: Sensors
    preflight: PreflightReports
    client: ServiceClient
    status: Status
    turns: Turns
    order: CheckOrder
    measuring: threading.Lock
    """Held during each execution: slow sensors, and records that leave this machine, wait for it."""

    @property
    def input_file(self) -> Path:
        """What the control workload encrypts."""
        return self.folder / INPUT_FILE

    @property
    def calibrations_file(self) -> Path:
        """The calibrations of this build and boot."""
        return self.folder / CALIBRATIONS_FILE


class HealthChecks:
    """Makes checks, and keeps them until the service has them."""

    def __init__(self, parts: CheckParts) -> None:
        """Work with these parts."""
        self._parts = parts
        self._waiting: deque[Finding] = deque()

    def take(self, control: Control) -> Finding:
        """Make a check of a control workload that was measured just now, and keep it for sending."""
        parts = self._parts
        finding = finding_of(parts.proved.build.build_key, control, parts.sensors)
        parts.preflight.take()
        self._waiting.append(finding)
        check = finding.check
        _log.info(
            "health checked",
            control_work_wall_ns=check.control.median_work_wall_ns,
            noise_floor=check.noise_floor,
            disturbed_share=check.disturbed_share,
            throttled=check.throttled,
        )
        return finding

    def work(self, seconds: float = _WAIT_SECONDS) -> None:
        """Send what is kept; else make a check if one is wanted within `seconds`.

        Raises Unreachable when the service is away; what is kept is sent by the next call.
        """
        if self._waiting:
            self._send()
        elif self._parts.order.begin(seconds):
            try:
                self._check()
            except (MeasurementError, OSError) as error:
                _log.error("health check failed", error=str(error))
                self._parts.order.settle(_REST_SECONDS)

    def _check(self) -> None:
        parts = self._parts
        with parts.turns.take():
            parts.status.tell("preparing", "checking its health")
            try:
                renew(parts.calibrations_file, self.take(self._measure()).floor)
            finally:
                parts.status.tell("ready")

    def _measure(self) -> Control:
        parts = self._parts
        command = control_command(parts.proved, parts.input_file)
        if command is None:
            raise MeasurementError("No implementation of the default build has passed its known answers.")
        instrument = parts.new_instrument()

        def measure(command: Command) -> Measurement:
            with parts.measuring:
                return instrument.measure(command)

        try:
            return measure_control(command, measure)
        finally:
            instrument.close()

    def _send(self) -> None:
        parts, finding = self._parts, self._waiting[0]
        rest_seconds = 0.0
        try:
            parts.client.report_calibration(finding.floor)
            parts.client.report_health(finding.check)
        except Unreachable:
            raise
        except CiphermarkError as error:
            # Nothing that could be said again would please the service.
            _log.error("health check refused", error=str(error))
            rest_seconds = _REST_SECONDS
        self._waiting.popleft()
        parts.order.settle(rest_seconds)


class HealthThread(threading.Thread):
    """Works on checks until the daemon ends."""

    def __init__(self, checks: HealthChecks, status: Status) -> None:
        """Prepare; start() begins."""
        super().__init__(name="health", daemon=True)
        self._checks = checks
        self._status = status

    def run(self) -> None:
        """Work, and wait for the service where it is away."""
        while not self._status.wait_for_shutdown(0):
            try:
                self._checks.work()
            except Unreachable as error:
                _log.warning("a health check waits for the service", error=str(error))
                self._status.wait_for_shutdown(_RETRY_SECONDS)
            except Exception:  # The outermost loop of this thread: a quarantined agent would stay so for ever.
                _log.exception("health check failed")
                self._status.wait_for_shutdown(_RETRY_SECONDS)
