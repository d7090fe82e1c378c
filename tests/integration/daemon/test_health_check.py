"""Health checks with a real runner, a real service, and the sensor files of a Raspberry Pi."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.native.build import install_prebuilt
from orchestrator.compilation.proofs import prove
from orchestrator.compilation.proved import ProvedBuild
from orchestrator.daemon.health.calibration import Calibrated, Control, calibrate
from orchestrator.daemon.health.checks import REQUESTED_CHECK, ControlInstrument, HealthChecks
from orchestrator.daemon.health.control_workload import MAX_PAIRS
from orchestrator.daemon.health.preflight import CheckedMachine, PreflightReports
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.machine_lock import MachineLock
from orchestrator.daemon.session.measuring_lock import MeasuringLock
from orchestrator.daemon.session.orders import Orders
from orchestrator.daemon.session.status import Status
from orchestrator.database.models import Agent, Calibration, HealthCheck
from orchestrator.measurement.instrument.measure import Instrument, InstrumentPlan
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.shared.errors import Unreachable
from orchestrator.wire.builds import CalibrationReport
from tests.support.agent_reports import enroll
from tests.support.daemon_bench import NO_SERVICE
from tests.support.live_service import Served
from tests.support.paths import REPOSITORY


@pytest.fixture(scope="module")
def proved(build: InstalledBuild) -> ProvedBuild:
    return ProvedBuild(build, prove(build, lambda _: None))


def pi(folder: Path, bits: str, millicelsius: int) -> Roots:
    """Write the two files of a Raspberry Pi that a health check reads."""
    firmware = folder / "sys/devices/platform/soc/soc:firmware"
    zone = folder / "sys/class/thermal/thermal_zone0"
    for place in (firmware, zone, folder / "proc"):
        place.mkdir(parents=True)
    (firmware / "get_throttled").write_text(f"{bits}\n")
    (zone / "type").write_text("cpu-thermal\n")
    (zone / "temp").write_text(f"{millicelsius}\n")
    return Roots(folder / "proc", folder / "sys", folder / "etc", folder / "dev", search_path="")


@pytest.fixture
def identity(served: Served) -> dict[str, str]:
    _, identity = enroll(served)
    return identity


@dataclass(frozen=True)
class CheckBench:
    """The parts of a daemon that perform health checks."""

    proved: ProvedBuild
    plan: InstrumentPlan
    folder: Path
    client: ServiceClient
    preflight: PreflightReports
    status: Status

    def checks(self, roots: Roots, client: ServiceClient | None = None) -> HealthChecks:
        """Return the health checks of a machine whose sensors are below `roots`."""
        return HealthChecks(
            instrument=ControlInstrument(self.proved, lambda: Instrument(self.plan), MeasuringLock()),
            folder=self.folder,
            sensors=find_sensors(roots),
            preflight=self.preflight,
            client=client or self.client,
            status=self.status,
            machine_lock=MachineLock(),
            request=Orders(),
        )


@pytest.fixture
def bench(
    served: Served, proved: ProvedBuild, tmp_path: Path, instrument_plan: InstrumentPlan, identity: dict[str, str]
) -> Iterator[CheckBench]:
    client, unreachable = (
        ServiceClient(ServiceAddress(url, identity["agent_token"], 60)) for url in (served.url, NO_SERVICE)
    )
    client.report_build(proved.build.report)
    preflight = PreflightReports(unreachable, CheckedMachine(instrument_plan.measured_core, tmp_path))
    yield CheckBench(proved, instrument_plan, tmp_path / "calibration", client, preflight, Status())
    client.close()
    unreachable.close()


@pytest.fixture
def cool_pi(tmp_path: Path) -> Roots:
    return pi(tmp_path / "pi", "50000", 51_500)


@pytest.fixture(scope="module")
def calibrated(
    proved: ProvedBuild, instrument_plan: InstrumentPlan, tmp_path_factory: pytest.TempPathFactory
) -> Calibrated:
    instrument = Instrument(instrument_plan)
    measured = calibrate(proved, instrument, tmp_path_factory.mktemp("calibration") / "input.bin")
    instrument.close()
    return measured


@pytest.fixture
def control(calibrated: Calibrated) -> Control:
    assert calibrated[1] is not None
    return calibrated[1]


def test_runner_of_other_operations_leaves_the_calibration_to_ciphers(
    programs: Path, tmp_path: Path, instrument_plan: InstrumentPlan
) -> None:
    """Regression: `noop` of the first runner by name was executed, which lacks it: the agent had no noise floor."""
    folder = tmp_path / "programs"
    folder.mkdir()
    example = (REPOSITORY / "runners" / "examples" / "ciphermark-hashlib").read_text()
    (folder / "ciphermark-hashlib").write_text(example.replace(', "process": ["digest"]', ""))
    (folder / "ciphermark-hashlib").chmod(0o755)
    for name in ("ciphermark-launcher", "ciphermark-openssl"):
        shutil.copy(programs / name, folder)
    build = install_prebuilt(folder, tmp_path / "cache")
    instrument = Instrument(instrument_plan)

    calibrations, control = calibrate(
        ProvedBuild(build, prove(build, lambda _: None)), instrument, tmp_path / "calibration" / "input.bin"
    )

    instrument.close()
    assert [runner.provider for runner in build.report.runners] == ["hashlib", "openssl"]
    assert [(one.kind, one.detail["provider"]) for one in calibrations] == [
        (kind, "openssl") for kind in ("noop", "noise-floor", "probe-cost")
    ]
    assert control is not None


class Interrupted(ServiceClient):
    """The real client on a network that is down for a while."""

    cut = True

    def report_calibration(self, calibration: CalibrationReport) -> None:
        if self.cut:
            raise Unreachable("the network is down")
        super().report_calibration(calibration)


def stored(served: Served) -> list[HealthCheck]:
    with served.database.read() as session:
        return list(session.query(HealthCheck).order_by(HealthCheck.id))


class TestCheck:
    def test_requested_check_is_reported_with_its_noise_floor(
        self, served: Served, bench: CheckBench, cool_pi: Roots
    ) -> None:
        checks = bench.checks(cool_pi)
        checks.work(0)
        checks.request.replace({REQUESTED_CHECK: True}, sent_at=float("inf"))
        checks.work(0)
        assert bench.status.snapshot().state == "ready"
        checks.work(0)
        check = stored(served)[-1]
        report = check.facts["report"]
        assert (report["control"]["provider"], report["control"]["algorithm"]) == ("own", "aes-128-ctr")
        assert 6 <= report["control"]["executions"] <= 2 * MAX_PAIRS
        assert 1e5 < report["control"]["low_work_wall_ns"] <= check.control_wall_ns < 1e10
        assert (report["throttled"], report["temperature_celsius"]) == ([], 51.5)
        assert report["noise_floor"] > 0
        with served.database.read() as session:
            floor = session.query(Calibration).filter_by(agent_id=check.agent_id).one()
            agent = session.get_one(Agent, check.agent_id)
        assert (floor.kind, floor.value) == ("noise-floor", check.noise_floor)
        assert floor.detail["single_execution_spread"] > 0  # above 1 at a load of 20
        assert agent.health in ("healthy", "degraded")
        assert agent.health_checked_at is not None

    @pytest.mark.long
    def test_check_is_kept_while_the_service_is_unreachable(
        self, served: Served, bench: CheckBench, cool_pi: Roots, control: Control, identity: dict[str, str]
    ) -> None:
        before = len(stored(served))
        client = Interrupted(ServiceAddress(served.url, identity["agent_token"], 60))
        checks = bench.checks(cool_pi, client)
        checks.take(control)
        for _ in range(2):
            with pytest.raises(Unreachable):
                checks.work(0)
        client.cut = False
        checks.work(0)
        client.close()
        assert len(stored(served)) == before + 1

    @pytest.mark.long
    def test_check_names_the_active_throttling(
        self, served: Served, bench: CheckBench, control: Control, tmp_path: Path
    ) -> None:
        checks = bench.checks(pi(tmp_path / "hot", "50005", 85_000))
        checks.take(control)
        checks.work(0)
        check = stored(served)[-1]
        assert check.facts["report"]["throttled"] == ["throttled", "under-voltage"]
        assert (check.state, check.reason.startswith("the firmware reports throttled, under-voltage")) == (
            "quarantined", True,
        )  # fmt: skip

    def test_missing_sensors_are_absent_with_their_reasons(
        self, served: Served, bench: CheckBench, control: Control, tmp_path: Path
    ) -> None:
        (tmp_path / "bare").mkdir()
        bare = Roots(*(tmp_path / "bare" / name for name in ("proc", "sys", "etc", "dev")), search_path="")
        checks = bench.checks(bare)
        checks.take(control)
        checks.work(0)
        report = stored(served)[-1].facts["report"]
        assert (report["throttled"], report["temperature_celsius"]) == (None, None)
        assert "get_throttled" in report["absent"]["throttled"]
        assert "thermal" in report["absent"]["temperature_celsius"]


class TestCalibrate:
    def test_first_calibration_is_a_health_check_too(
        self, served: Served, bench: CheckBench, cool_pi: Roots, calibrated: Calibrated, control: Control
    ) -> None:
        calibrations, _ = calibrated
        assert [one.kind for one in calibrations] == ["noop", "noise-floor", "probe-cost"]
        assert float(calibrations[2].detail["low"]) <= calibrations[2].value <= float(calibrations[2].detail["high"])
        checks = bench.checks(cool_pi)
        assert checks.take(control).floor == calibrations[1]
        checks.work(0)
        assert stored(served)[-1].noise_floor == calibrations[1].value
