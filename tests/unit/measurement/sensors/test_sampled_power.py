"""Sampling of a real file that changes, like those of INA chips and batteries."""

from pathlib import Path

import pytest

from orchestrator.measurement.sensors.base import EnergyReading
from orchestrator.measurement.sensors.ina import find
from orchestrator.measurement.sensors.sampled_power import SampledPowerMeter
from tests.support.kernel_tree import build, build_machine, put
from tests.support.waiting import until

PI_4 = "raspberry-pi-4"


def quick_meter(folder: Path) -> tuple[SampledPowerMeter, Path]:
    """Return the INA219 of a Pi 4, sampled every 5 ms, and its file."""
    roots = build_machine(PI_4, folder)
    meter = find(roots).meters[0]
    assert isinstance(meter, SampledPowerMeter)
    meter.interval_seconds = 0.005
    return meter, roots.sys / "class/hwmon/hwmon2/power1_input"


def wait_for(meter: SampledPowerMeter, count: int) -> None:
    until(lambda: len(meter._samples) + len(meter._failures) >= count, f"{count} samples")


def energy(meter: SampledPowerMeter) -> EnergyReading:
    """Measure a window of five samples, once more where a busy machine left a gap between them."""
    for _ in range(5):
        meter.begin()
        wait_for(meter, 5)
        reading = meter.end()
        if reading.joules is not None:
            break
    return reading


class TestWindow:
    def test_constant_power_gives_power_times_time(self, tmp_path: Path) -> None:
        meter, _ = quick_meter(tmp_path)

        reading = energy(meter)

        assert reading.joules == pytest.approx(3.266 * reading.window_ns / 1e9)
        moments = [sample.at_ns for sample in reading.samples]
        assert moments == sorted(moments)
        assert len(moments) >= 3

    def test_unexpected_content_is_absent_with_the_reason(self, tmp_path: Path) -> None:
        meter, file = quick_meter(tmp_path)
        put(file, "-3000000")

        meter.begin()
        wait_for(meter, 5)
        reading = meter.end()

        assert reading.joules is None
        assert "samples failed, the last:" in reading.reason
        assert "possible is 0 to" in reading.reason

    def test_end_without_begin_is_absent_with_the_reason(self, tmp_path: Path) -> None:
        assert "not begun" in quick_meter(tmp_path)[0].end().reason


class TestIna:
    def test_resolution_follows_from_chip_and_shunt(self, tmp_path: Path) -> None:
        ina219, ina3221 = find(build_machine(PI_4, tmp_path)).meters

        # 100 milliohms: a current step of 0.1 mA, times 20 for the power of an INA219, over 69 ms.
        assert ina219.resolution_joules == pytest.approx(0.002 * 0.07)
        # 40 µV over 100 milliohms are 0.4 mA, at 5 V, each 20 ms.
        assert ina3221.resolution_joules == pytest.approx(0.002 * 0.02)

    def test_reversed_shunt_is_absent_with_the_reason(self, tmp_path: Path) -> None:
        roots = build_machine(PI_4, tmp_path)
        sensor = find(roots).sensors[1]
        put(roots.sys / "class/hwmon/hwmon3/curr1_input", "-700")

        assert "is the shunt reversed" in sensor.read().reason

    def test_ina260_has_a_fixed_resolution(self, tmp_path: Path) -> None:
        roots = build(
            "sys/class/hwmon/hwmon0/name = ina260\nsys/class/hwmon/hwmon0/power1_input = 2500000\n"
            "sys/class/hwmon/hwmon0/update_interval = 2\n",
            tmp_path,
        )
        found = find(roots)

        assert found.sensors[0].read().value == 2.5
        assert found.meters[0].resolution_joules == pytest.approx(0.01 * 0.02)

    def test_unknown_shunt_leaves_the_resolution_unknown(self, tmp_path: Path) -> None:
        roots = build("sys/class/hwmon/hwmon0/name = ina226\nsys/class/hwmon/hwmon0/power1_input = 1\n", tmp_path)

        assert find(roots).meters[0].resolution_joules is None
