"""What has to stand before the first job: the runners built, their known answers passed, the instrument calibrated."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import structlog

from orchestrator.daemon.builds.builder import StartBuild
from orchestrator.daemon.builds.compilation.build import build, install_prebuilt
from orchestrator.daemon.builds.compilation.steps import Interrupted, Watch
from orchestrator.daemon.builds.proofs import prove
from orchestrator.daemon.builds.proved import ProvedBuild
from orchestrator.daemon.builds.source import runner_source
from orchestrator.daemon.health.calibration import (
    CALIBRATION_FOLDER,
    CALIBRATIONS_FILE,
    INPUT_FILE,
    Control,
    calibrate,
    load_or_calibrate,
)
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.daemon.session.status import Status
from orchestrator.errors import MeasurementError, Unreachable
from orchestrator.measurement.instrument.measure import Instrument
from orchestrator.settings import DaemonSettings
from orchestrator.wire.builds import CalibrationReport, ProofReport, Toolchain

_RETRY_SECONDS = 2.0
Result = TypeVar("Result")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Preparation:
    """What preparing works with."""

    settings: DaemonSettings
    client: ServiceClient
    status: Status

    def prepare_build(self) -> StartBuild:
        """Make or find the runners of the default toolchain, prove them, and report both.

        Raises BuildFailed, and Interrupted when the daemon is stopped meanwhile.
        """
        self._tell("preparing the runners")
        settings, source = self.settings, None
        if settings.runners_folder is not None:
            installed = install_prebuilt(settings.runners_folder, settings.cache_folder)
        else:
            source = self.until_answered(lambda: runner_source(self.client, settings.cache_folder))
            watch = Watch(
                lambda line: self._tell(f"building runners: {line}"), lambda: self.status.wait_for_shutdown(0)
            )
            installed = build(source, Toolchain(), settings.cache_folder, watch)
        _log.info("runners ready", build_key=installed.build_key, providers=sorted(installed.programs))
        built = installed.report.model_copy(update={"is_default": True})
        self.until_answered(lambda: self.client.report_build(built))
        proofs = prove(installed, self._tell)
        failed = [f"{p.provider} {p.algorithm} {p.variant}" for p in proofs.proofs if not p.passed]
        if failed:
            _log.error("known answers failed; these are never measured", implementations=failed)
        if proofs.proofs:
            report = ProofReport(proofs=list(proofs.proofs))
            self.until_answered(lambda: self.client.report_proofs(installed.build_key, report))
        return StartBuild(ProvedBuild(installed, proofs), source)

    def calibrate(self, proved: ProvedBuild, instrument: Instrument) -> Control | None:
        """Measure what measuring costs, and report it. A machine that cannot be calibrated says so and goes on.

        Returns the control workload where it was measured now, and None where this boot knows the figures already.
        """
        self._tell("calibrating")
        folder, measured = self.settings.data_folder / CALIBRATION_FOLDER, list[Control | None]()

        def measure() -> list[CalibrationReport]:
            calibrations, control = calibrate(proved, instrument, folder / INPUT_FILE)
            measured.append(control)
            return calibrations

        try:
            calibrations = load_or_calibrate(folder / CALIBRATIONS_FILE, proved.build.build_key, measure)
        except (MeasurementError, OSError) as error:
            _log.error("calibration failed; results of this agent carry no noise floor", error=str(error))
            return None
        for calibration in calibrations:
            self._send_calibration(calibration)
        return measured[0] if measured else None

    def until_answered(self, request: Callable[[], Result]) -> Result:
        """Return what the request returns, asking again while the service is away."""
        while True:
            try:
                return request()
            except Unreachable as error:
                self._tell(f"waiting for the service: {error}")
            if self.status.wait_for_shutdown(_RETRY_SECONDS):
                raise Interrupted

    def _send_calibration(self, calibration: CalibrationReport) -> None:
        self.until_answered(lambda: self.client.report_calibration(calibration))

    def _tell(self, doing: str) -> None:
        self.status.tell("preparing", doing)
