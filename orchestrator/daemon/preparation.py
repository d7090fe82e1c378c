"""Preparation before the first job: inventory, runners, known answers, calibration."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import structlog

from orchestrator.compilation.cpu_features import TargetDevice, this_device
from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.libraries.registered import LIBRARIES_FILE, usable_registered
from orchestrator.compilation.native.build import build, install_prebuilt
from orchestrator.compilation.native.compilers import find_compilers
from orchestrator.compilation.native.steps import BuildObserver, Interrupted, step_summary
from orchestrator.compilation.proofs import prove
from orchestrator.compilation.proved import ProvedBuild
from orchestrator.daemon.builds.builder import DefaultBuild
from orchestrator.daemon.builds.challenges import proof_report_of, report_proofs
from orchestrator.daemon.builds.cross_built import find_offer, install_cross_built
from orchestrator.daemon.builds.source import RunnerSources, runner_source
from orchestrator.daemon.health.calibration import (
    CALIBRATION_FOLDER,
    CALIBRATIONS_FILE,
    INPUT_FILE,
    Control,
    calibrate,
    load_or_calibrate,
)
from orchestrator.daemon.heartbeat import Heartbeats
from orchestrator.daemon.machine.inventory import take_inventory
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.daemon.session.status import Status
from orchestrator.measurement.instrument.measure import Instrument, InstrumentPlan
from orchestrator.measurement.machine.roots import KERNEL
from orchestrator.measurement.sensors.base import Sensors
from orchestrator.shared.errors import BuildFailed, MeasurementError, NoRunners, Unreachable
from orchestrator.shared.settings import DaemonSettings
from orchestrator.wire.builds import CalibrationReport, Toolchain
from orchestrator.wire.cross_builds import CrossBuildOffer

_RETRY_SECONDS = 2.0
"""Pause between two attempts while the service is unreachable."""
Result = TypeVar("Result")

Install = Callable[[BuildObserver], InstalledBuild]

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Preparation:
    """The steps before the first job; each reports to the service what it found."""

    settings: DaemonSettings
    client: ServiceClient
    status: Status
    device: TargetDevice | None = field(default_factory=this_device)
    providers: frozenset[str] | None = None
    """Whose runners are compiled; None: all."""

    def report_inventory(self, heartbeats: Heartbeats, measured_core: int, sensors: Sensors) -> str:
        """Detect the facts of this machine, report them, and return their SHA-256."""
        self._report("taking inventory")
        registered = usable_registered(self.settings.data_folder / LIBRARIES_FILE)
        inventory = take_inventory(measured_core, KERNEL, sensors, registered)
        heartbeats.inventory = inventory
        self.until_answered(lambda: self.client.report_inventory(inventory))
        self.status.set_inventory(inventory.sha256)
        return inventory.sha256

    def prepare_build(self) -> DefaultBuild:
        """Install or make the default runners, prove them, and report both.

        They are those in CIPHERMARK_RUNNERS_FOLDER, otherwise the service's cross-built ones, otherwise those that this
        device compiles with the default toolchain. Raises BuildFailed, and Interrupted when the daemon is shut down.
        """
        self._report("preparing the runners")
        settings, source = self.settings, None
        again: Install | None = None
        if settings.runners_folder is not None:
            again = partial(install_prebuilt, settings.runners_folder, settings.cache_folder)
            installed = again(self._observer("installing the runners"))
        else:
            source = self.until_answered(lambda: runner_source(self.client, settings.cache_folder))
            installed, again = self._cross_built_or_compiled(source)
        _log.info("runners ready", build_key=installed.build_key, providers=sorted(installed.programs))
        report = installed.report.model_copy(update={"is_default": True})
        self.until_answered(lambda: self.client.report_build(report))
        proofs = prove(installed, self._report)
        proof_report = proof_report_of(installed, proofs, self._report)
        if proof_report is not None:
            self.until_answered(lambda: report_proofs(self.client, installed, proof_report))
        return DefaultBuild(ProvedBuild(installed, proofs), source.path if source else None, again)

    def _cross_built_or_compiled(self, source: RunnerSources) -> tuple[InstalledBuild, Install | None]:
        """Return the service's cross-built runners if they fit this device, otherwise those of its own compiler.

        The second value installs cross-built runners again.

        Raises UnsupportedCPU, NoRunners and BuildFailed if neither is possible.
        """
        compilers = find_compilers()
        if self.settings.cross_built_runners:
            try:
                found = self.until_answered(lambda: find_offer(self.client, source.source_sha256, self.device))
                if found.offer is not None and self.device is not None:
                    again = partial(self._cross_built, found.offer, self.device)
                    return again(self._observer("installing cross-built runners")), again
            except BuildFailed as error:
                if not compilers:
                    raise
                _log.warning("cross-built runners not used; compiling on this device", error=str(error))
                return self._compiled(source), None
            if not compilers:
                raise NoRunners(
                    f"This device has no compiler, and there are no cross-built runners for it. {found.reason}",
                    remedy="Or on this device: apt-get install g++ cmake ninja-build.",
                )
        return self._compiled(source), None

    def _cross_built(self, offer: CrossBuildOffer, device: TargetDevice, observer: BuildObserver) -> InstalledBuild:
        cache = self.settings.cache_folder
        return self.until_answered(lambda: install_cross_built(self.client, offer, device, cache, observer))

    def _compiled(self, source: RunnerSources) -> InstalledBuild:
        observer = self._observer("building runners")
        return build(source.path, Toolchain(), self.settings.cache_folder, observer, providers=self.providers)

    def _observer(self, activity: str) -> BuildObserver:
        return BuildObserver(
            lambda line: self._report(f"{activity}: {step_summary(line)}"), lambda: self.status.wait_for_shutdown(0)
        )

    def calibrate(self, proved: ProvedBuild, plan: InstrumentPlan) -> Control | None:
        """Measure and report the overheads of measuring; a machine that cannot be calibrated continues without.

        Returns the control workload if it was measured now, and None if the calibration of this boot was reused.
        """
        self._report("calibrating")
        folder, measured = self.settings.data_folder / CALIBRATION_FOLDER, list[Control | None]()
        instrument = Instrument(plan)

        def measure() -> list[CalibrationReport]:
            calibrations, control = calibrate(proved, instrument, folder / INPUT_FILE)
            measured.append(control)
            return calibrations

        try:
            calibrations = load_or_calibrate(folder / CALIBRATIONS_FILE, proved.build.build_key, measure)
        except (MeasurementError, OSError) as error:
            _log.error("calibration failed; this agent has no noise floor", error=str(error))
            return None
        finally:
            instrument.close()
        for calibration in calibrations:
            self.until_answered(partial(self.client.report_calibration, calibration))
        return measured[0] if measured else None

    def until_answered(self, request: Callable[[], Result]) -> Result:
        """Return the result of the request, repeating it while the service is unreachable. Raises Interrupted."""
        while True:
            try:
                return request()
            except Unreachable as error:
                self._report(f"waiting for the service: {error}")
            if self.status.wait_for_shutdown(_RETRY_SECONDS):
                raise Interrupted

    def _report(self, activity: str) -> None:
        self.status.report("preparing", activity)
