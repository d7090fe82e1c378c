"""Sampling of a real file that changes, like those of INA chips and batteries."""

from collections.abc import Sequence
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


def energy(meter: SampledPowerMeter, file: Path | None = None, microwatts: Sequence[str] = ()) -> EnergyReading:
    """Measure a window of five samples, or of ten at each of the powers that the file is given.

    Once more where a busy machine kept the thread waiting for so long that there is a gap.
    """
    for _ in range(5):
        meter.begin()
        wait_for(meter, 5)
        for number, text in enumerate(microwatts, start=1):
            if file is not None:
                put(file, text)
            wait_for(meter, 10 * number)
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

    def test_rising_power_is_integrated(self, tmp_path: Path) -> None:
        meter, file = quick_meter(tmp_path)

        reading = energy(meter, file, ["3266000", "9000000"])

        assert {sample.watts for sample in reading.samples} == {3.266, 9.0}
        assert reading.joules is not None
        assert 3.266 < reading.joules / (reading.window_ns / 1e9) < 9.0

    def test_short_window_is_absent(self, tmp_path: Path) -> None:
        meter, _ = quick_meter(tmp_path)
        meter.interval_seconds = 10.0

        meter.begin()
        reading = meter.end()

        assert reading.joules is None
        assert "at least 3 are required" in reading.reason

    @pytest.mark.parametrize(("text", "reason"), [("-3000000", "possible is 0 to"), ("nan", "a finite"), ("", "empty")])
    def test_unexpected_content_is_absent_with_the_reason(self, text: str, reason: str, tmp_path: Path) -> None:
        meter, file = quick_meter(tmp_path)
        put(file, text)

        meter.begin()
        wait_for(meter, 5)
        reading = meter.end()

        assert reading.joules is None
        assert "samples failed, the last:" in reading.reason
        assert reason in reading.reason

    def test_missing_chip_is_absent_until_it_returns(self, tmp_path: Path) -> None:
        meter, file = quick_meter(tmp_path)
        file.unlink()
        meter.begin()
        wait_for(meter, 5)
        gone = meter.end()
        put(file, "2000000")

        assert "does not exist" in gone.reason
        assert energy(meter).joules is not None

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
