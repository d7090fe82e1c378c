"""Health checks by the daemon's own parts: the real runner, the real service, sensors as files of a Pi."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.daemon.builds.installed import InstalledBuild
from orchestrator.daemon.builds.proofs import prove
from orchestrator.daemon.builds.proved import ProvedBuild
from orchestrator.daemon.health.calibration import Calibrated, Control, calibrate
from orchestrator.daemon.health.control_workload import MOST_PAIRS
from orchestrator.daemon.health.order import CheckOrder
from orchestrator.daemon.health.preflight import Place, PreflightReports
from orchestrator.daemon.health.thread import CheckParts, HealthChecks
from orchestrator.daemon.session.client import ServiceAddress, ServiceClient
from orchestrator.daemon.session.status import Status
from orchestrator.daemon.session.turns import Turns
from orchestrator.database.models import Agent, Calibration, HealthCheck
from orchestrator.errors import Unreachable
from orchestrator.measurement.instrument.measure import Instrument, InstrumentPlan
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.wire.builds import CalibrationReport
from tests.support.agent_reports import enroll
from tests.support.daemon_bench import NOBODY
from tests.support.live_service import Served, serve


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("service")) as served:
        yield served


@pytest.fixture(scope="module")
def proved(build: InstalledBuild) -> ProvedBuild:
    return ProvedBuild(build, prove(build, lambda _: None))


def pi(folder: Path, bits: str, millicelsius: int) -> Roots:
    """Write the two files of a Pi that a check asks; the rest of its /sys is not there."""
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
    client, identity = enroll(served)
    client.close()
    return identity


@pytest.fixture
def parts(
    served: Served, proved: ProvedBuild, tmp_path: Path, instrument_plan: InstrumentPlan, identity: dict[str, str]
) -> Iterator[CheckParts]:
    client, nobody = (ServiceClient(ServiceAddress(url, identity["agent_token"], 10)) for url in (served.url, NOBODY))
    client.report_build(proved.build.report)
    roots = pi(tmp_path / "pi", "50000", 51_500)
    yield CheckParts(
        proved=proved,
        folder=tmp_path / "calibration",
        new_instrument=lambda: Instrument(instrument_plan),
        sensors=find_sensors(roots),
        preflight=PreflightReports(nobody, Place(instrument_plan.measured_core, tmp_path, roots)),
        client=client,
        status=Status(),
        turns=Turns(),
        order=CheckOrder(),
        measuring=threading.Lock(),
    )
    client.close()
    nobody.close()


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


class Interrupted(ServiceClient):
    """The real client on a network that is cut for a while."""

    cut = True

    def report_calibration(self, calibration: CalibrationReport) -> None:
        if self.cut:
            raise Unreachable("the cable was pulled")
        super().report_calibration(calibration)


def stored(served: Served) -> list[HealthCheck]:
    with served.database.read() as session:
        return list(session.query(HealthCheck).order_by(HealthCheck.id))


class TestCheck:
    def test_an_order_becomes_a_check_and_a_noise_floor(self, served: Served, parts: CheckParts) -> None:
        checks = HealthChecks(parts)
        checks.work(0)
        parts.order.hear(True, asked_at=float("inf"))
        checks.work(0)
        assert parts.status.snapshot().state == "ready"
        checks.work(0)
        check = stored(served)[-1]
        report = check.facts["report"]
        assert (report["control"]["provider"], report["control"]["algorithm"]) == ("own", "aes-128-ctr")
        assert 6 <= report["control"]["executions"] <= 2 * MOST_PAIRS
        assert 1e5 < report["control"]["low_work_wall_ns"] <= check.control_wall_ns < 1e10
        assert (report["throttled"], report["temperature_celsius"]) == ([], 51.5)
        assert 0 < report["noise_floor"] < 1
        with served.database.read() as session:
            floor = session.query(Calibration).filter_by(agent_id=check.agent_id).one()
            agent = session.get_one(Agent, check.agent_id)
        assert (floor.kind, floor.value) == ("noise-floor", check.noise_floor)
        assert 0 < floor.detail["single_execution_spread"] < 1
        assert agent.health in ("healthy", "degraded")
        assert agent.health_checked_at is not None

    def test_a_check_is_kept_while_the_service_is_away(
        self, served: Served, parts: CheckParts, control: Control, identity: dict[str, str]
    ) -> None:
        before = len(stored(served))
        client = Interrupted(ServiceAddress(served.url, identity["agent_token"], 10))
        checks = HealthChecks(replace(parts, client=client))
        checks.take(control)
        for _ in range(2):
            with pytest.raises(Unreachable):
                checks.work(0)
        client.cut = False
        checks.work(0)
        client.close()
        assert len(stored(served)) == before + 1

    def test_what_throttles_now_is_said_in_words(
        self, served: Served, parts: CheckParts, control: Control, tmp_path: Path
    ) -> None:
        hot = replace(parts, sensors=find_sensors(pi(tmp_path / "hot", "50005", 85_000)))
        checks = HealthChecks(hot)
        checks.take(control)
        checks.work(0)
        check = stored(served)[-1]
        assert check.facts["report"]["throttled"] == ["throttled", "under-voltage"]
        assert (check.state, check.reason.startswith("the firmware says throttled, under-voltage now")) == (
            "quarantined", True,
        )  # fmt: skip

    def test_what_cannot_be_asked_is_absent_with_its_reason(
        self, served: Served, parts: CheckParts, control: Control, tmp_path: Path
    ) -> None:
        (tmp_path / "bare").mkdir()
        bare = Roots(*(tmp_path / "bare" / name for name in ("proc", "sys", "etc", "dev")), search_path="")
        checks = HealthChecks(replace(parts, sensors=find_sensors(bare)))
        checks.take(control)
        checks.work(0)
        report = stored(served)[-1].facts["report"]
        assert (report["throttled"], report["temperature_celsius"]) == (None, None)
        assert "get_throttled" in report["absent"]["throttled"]
        assert "thermal" in report["absent"]["temperature_celsius"]


class TestCalibrate:
    def test_the_first_calibration_is_a_check_too(
        self, served: Served, parts: CheckParts, calibrated: Calibrated, control: Control
    ) -> None:
        calibrations, _ = calibrated
        assert [one.kind for one in calibrations] == ["noop", "noise-floor", "probe-cost"]
        checks = HealthChecks(parts)
        assert checks.take(control).floor == calibrations[1]
        checks.work(0)
        assert stored(served)[-1].noise_floor == calibrations[1].value
