"""Sensors of each described machine, and the reasons for the missing ones."""

from pathlib import Path

import pytest

from orchestrator.measurement.machine.roots import KERNEL
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.wire.health import SensorSample
from tests.support.kernel_tree import build, build_machine

KINDS = {
    "battery", "frequency", "ina", "installed meters", "pmic", "rapl", "temperature", "throttling", "user meter",
}  # fmt: skip
CORES = [f"frequency_hz cpu{core}" for core in range(4)]


def values(name: str, folder: Path) -> dict[str, float | None]:
    return {sensor.name: sensor.read().value for sensor in find_sensors(build_machine(name, folder)).sensors}


class TestMachines:
    def test_pi_3_has_clocks_temperature_and_throttling(self, tmp_path: Path) -> None:
        assert values("raspberry-pi-3", tmp_path) == {
            **dict(zip(CORES, (6e8, 6e8, 6e8, 1.4e9), strict=True)),
            "temperature_celsius cpu-thermal": 53.692,
            "throttled_bits firmware": float(0x50000),
        }

    def test_pi_4_has_meters_on_its_supply(self, tmp_path: Path) -> None:
        found = values("raspberry-pi-4", tmp_path)

        assert found["throttled_bits firmware"] == float(0xE0008)
        assert found["power_watts ina219 channel1"] == pytest.approx(3.266)
        assert found["power_watts ina3221 board"] == pytest.approx(3.5)
        assert not any("spare" in name for name in found)

    def test_pi_5_sums_the_power_of_its_rails(self, tmp_path: Path) -> None:
        found = values("raspberry-pi-5", tmp_path)

        # 0.37 + 0.66 + 0.45 + 0.11 + 0.006 + 0.22 + 0.32 + 1.6 + 0 + 0.00165 + 0.004 + 0.102
        assert found["power_watts pmic-rails"] == pytest.approx(3.84365)
        assert found["voltage_volts EXT5V"] == 5.1
        assert found["throttled_bits firmware"] == 0.0
        assert [name for name in found if name.startswith("temp")] == ["temperature_celsius cpu-thermal"]

    def test_x86_lists_the_processors_temperature_first(self, tmp_path: Path) -> None:
        sensors = find_sensors(build_machine("x86-with-rapl", tmp_path))

        assert [sensor.name for sensor in sensors.of("temperature_celsius")] == [
            "temperature_celsius x86_pkg_temp",
            "temperature_celsius coretemp Package id 0",
            "temperature_celsius coretemp Core 0",
            "temperature_celsius acpitz",
            "temperature_celsius iwlwifi_1",
        ]
        assert "is empty" in sensors.of("temperature_celsius")[-1].read().reason

    def test_meter_of_most_of_the_machine_comes_first(self, tmp_path: Path) -> None:
        sensors = find_sensors(build_machine("x86-with-rapl", tmp_path), "sh -c true")

        assert [meter.name for meter in sensors.meters] == [
            "user meter", "rapl psys", "rapl package-0", "rapl package-0 core", "rapl package-0 uncore", "battery BAT0",
        ]  # fmt: skip
        sensors.close()

    @pytest.mark.parametrize("name", ["raspberry-pi-3", "raspberry-pi-4", "raspberry-pi-5", "x86-with-rapl"])
    def test_every_kind_is_found_or_has_a_reason(self, name: str, tmp_path: Path) -> None:
        sensors = find_sensors(build_machine(name, tmp_path))

        assert set(sensors.absent) <= KINDS
        assert all(len(reason) > 20 for reason in sensors.absent.values())
        assert {"user meter", "installed meters"} <= set(sensors.absent)
        for sensor in sensors.sensors:
            assert sensor.unit
            assert sensor.source
            assert sensor.resolution
            SensorSample(
                sensor=sensor.name, unit=sensor.unit, read_at="2026-11-20T12:00:00Z", value=None, reason="as an example"
            )

    def test_machine_without_sensors_has_a_reason_for_every_kind(self, tmp_path: Path) -> None:
        sensors = find_sensors(build("", tmp_path))

        assert sensors.sensors == ()
        assert sensors.meters == ()
        assert set(sensors.absent) == KINDS

    def test_this_machine_has_each_kind_or_a_reason(self) -> None:
        sensors = find_sensors(KERNEL)

        assert {"user meter"} <= set(sensors.absent) <= KINDS
        assert sensors.absent.keys() == KINDS or sensors.sensors or sensors.meters
        assert len({sensor.name for sensor in sensors.sensors}) == len(sensors.sensors)
