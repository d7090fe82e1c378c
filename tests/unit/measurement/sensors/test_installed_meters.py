"""Meters of installed packages, with a real distribution on the path, as pip installs it."""

import re
from pathlib import Path

import pytest

from orchestrator.measurement.machine.roots import KERNEL
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.measurement.sensors.installed_meters import find
from tests.support.paths import REPOSITORY

PACKAGE = """
from orchestrator.measurement.sensors.base import EnergyReading


class Meter:
    name = "bench supply"
    source = "its counter"
    resolution_joules = 0.5

    def __init__(self, joules):
        self.joules = joules

    def begin(self):
        if self.joules == "raise":
            raise OSError("the supply does not answer")

    def end(self):
        return EnergyReading(self.joules, 7)

    def close(self):
        pass


def meters(roots):
    return [Meter(4.5), Meter(float("nan")), Meter(-1.0), Meter("raise")]


def broken(roots):
    raise RuntimeError("no driver")
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bench_supply.py").write_text(PACKAGE)
    metadata = tmp_path / "bench_supply-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: bench-supply\nVersion: 1.0\n")
    points = "[ciphermark.meters]\nsupply = bench_supply:meters\nbad = bench_supply:broken\n"
    (metadata / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("install")
class TestInstalled:
    def test_energy_and_package_are_reported(self) -> None:
        meter = find(KERNEL).meters[0]

        meter.begin()

        assert meter.end().joules == 4.5
        assert meter.name == "bench supply"
        assert meter.source == "its counter (package supply)"
        assert meter.resolution_joules == 0.5

    def test_impossible_values_and_errors_become_reasons(self) -> None:
        reasons = []
        for meter in find(KERNEL).meters[1:]:
            meter.begin()
            reading = meter.end()
            assert reading.joules is None
            reasons.append(reading.reason)

        assert reasons == [
            "bench supply reported nan J, expected 0 or more",
            "bench supply reported -1.0 J, expected 0 or more",
            "supply: OSError: the supply does not answer",
        ]

    def test_failing_package_is_reported_and_does_not_hide_the_others(self) -> None:
        sensors = find_sensors(KERNEL)

        assert "bad (bench_supply:broken): RuntimeError: no driver" in sensors.absent["installed meters"]
        assert sensors.meters[0].name == "bench supply"


def test_example_of_the_documentation_is_a_meter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (REPOSITORY / "docs/measurement.md").read_text()
    (example,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "def find(roots)" in block)
    counter = tmp_path / "supply_joules"
    (tmp_path / "my_meters.py").write_text(example.replace("/run/supply_joules", str(counter)))
    metadata = tmp_path / "my_meters-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-meters\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[ciphermark.meters]\nbench-supply = my_meters:find\n")
    monkeypatch.syspath_prepend(tmp_path)
    (meter,) = find(KERNEL).meters

    counter.write_text("100.5\n")
    meter.begin()
    counter.write_text("103\n")

    assert meter.end().joules == 2.5
    assert meter.name == "bench supply"
