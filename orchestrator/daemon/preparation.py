"""What has to stand before the first job: the runners built, their known answers passed, the instrument calibrated."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import structlog

from orchestrator.daemon.calibration import calibrate, load_or_calibrate
from orchestrator.daemon.installed_builds import InstalledBuild
from orchestrator.daemon.proofs import prove
from orchestrator.daemon.proved_builds import ProvedBuild
from orchestrator.daemon.runner_builds import build, install_prebuilt
from orchestrator.daemon.runner_source import runner_source
from orchestrator.daemon.service_client import ServiceClient
from orchestrator.daemon.status import Status
from orchestrator.errors import CiphermarkError, MeasurementError, Unreachable
from orchestrator.measurement.measure import Instrument
from orchestrator.settings import DaemonSettings
from orchestrator.wire.builds import Calibration, ProofReport, Toolchain

_RETRY_SECONDS = 2.0
Result = TypeVar("Result")

_log = structlog.get_logger(__name__)


class Interrupted(CiphermarkError):
    """The daemon was stopped while it prepared."""


@dataclass(frozen=True)
class Preparation:
    """What preparing works with."""

    settings: DaemonSettings
    client: ServiceClient
    status: Status

    def prepare_build(self) -> ProvedBuild:
        """Make or find the runners of the default toolchain, prove them, and report both.

        Raises BuildFailed, and Interrupted when the daemon is stopped meanwhile.
        """
        self._tell("preparing the runners")
        installed = self._build()
        _log.info("runners ready", build_key=installed.build_key, providers=sorted(installed.programs))
        self.until_answered(lambda: self.client.report_build(installed.report))
        proofs = prove(installed, self._tell)
        failed = [f"{p.provider} {p.algorithm} {p.variant}" for p in proofs.proofs if not p.passed]
        if failed:
            _log.error("known answers failed; these are never measured", implementations=failed)
        if proofs.proofs:
            report = ProofReport(proofs=list(proofs.proofs))
            self.until_answered(lambda: self.client.report_proofs(installed.build_key, report))
        return ProvedBuild(installed, proofs)

    def calibrate(self, proved: ProvedBuild, instrument: Instrument) -> None:
        """Measure what measuring costs, and report it. A machine that cannot be calibrated says so and goes on."""
        self._tell("calibrating")
        folder = self.settings.data_folder / "calibration"

        def measure() -> list[Calibration]:
            return calibrate(proved.build, proved.proofs, instrument, folder / "input.bin")

        try:
            calibrations = load_or_calibrate(folder / "latest.json", proved.build.build_key, measure)
        except (MeasurementError, OSError) as error:
            _log.error("calibration failed; results of this agent carry no noise floor", error=str(error))
            return
        for calibration in calibrations:
            self._send_calibration(calibration)

    def until_answered(self, request: Callable[[], Result]) -> Result:
        """Return what the request returns, asking again while the service is away."""
        while True:
            try:
                return request()
            except Unreachable as error:
                self._tell(f"waiting for the service: {error}")
            if self.status.wait_for_shutdown(_RETRY_SECONDS):
                raise Interrupted

    def _send_calibration(self, calibration: Calibration) -> None:
        self.until_answered(lambda: self.client.report_calibration(calibration))

    def _build(self) -> InstalledBuild:
        settings = self.settings
        if settings.runners_folder is not None:
            return install_prebuilt(settings.runners_folder, settings.cache_folder)
        source = self.until_answered(self._source)
        return build(source, Toolchain(), settings.cache_folder, lambda line: self._tell(f"building runners: {line}"))

    def _source(self) -> Path:
        return runner_source(self.client, self.settings.cache_folder)

    def _tell(self, doing: str) -> None:
        self.status.tell("preparing", doing)
