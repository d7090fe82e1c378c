from pathlib import Path

import pytest

from orchestrator.measurement.sensors.battery import find
from tests.support.kernel_tree import build, build_machine, put

LAPTOP = "x86-with-rapl"
CHARGE = """\
sys/class/power_supply/BAT1/type = Battery
sys/class/power_supply/BAT1/status = Discharging
sys/class/power_supply/BAT1/charge_now = 3000000
sys/class/power_supply/BAT1/current_now = -700000
sys/class/power_supply/BAT1/voltage_now = 12000000
"""


class TestSensors:
    def test_energy_power_and_state_are_read(self, tmp_path: Path) -> None:
        found = {sensor.name: sensor.read().value for sensor in find(build_machine(LAPTOP, tmp_path)).sensors}

        assert found == {"battery_discharging BAT0": 1.0, "power_watts BAT0": 8.5, "battery_joules BAT0": 108_000.0}

    def test_unknown_state_is_absent(self, tmp_path: Path) -> None:
        roots = build_machine(LAPTOP, tmp_path)
        sensor = find(roots).sensors[0]
        put(roots.sys / "class/power_supply/BAT0/status", "Unknown")

        assert "unknown value 'Unknown'" in sensor.read().reason

    def test_battery_without_a_reading_has_no_sensor_of_it(self, tmp_path: Path) -> None:
        roots = build(CHARGE.replace("sys/class/power_supply/BAT1/current_now = -700000\n", ""), tmp_path)
        (state,) = find(roots).sensors
        put(roots.sys / "class/power_supply/BAT1/status", "")

        assert state.name == "battery_discharging BAT1"
        assert "status does not exist or is empty" in state.read().reason

    def test_negative_current_gives_a_positive_power(self, tmp_path: Path) -> None:
        found = {sensor.name: sensor.read().value for sensor in find(build(CHARGE, tmp_path)).sensors}

        assert found == {"battery_discharging BAT1": 1.0, "power_watts BAT1": pytest.approx(8.4)}

    def test_battery_without_energy_counter_is_sampled(self, tmp_path: Path) -> None:
        (meter,) = find(build(CHARGE, tmp_path)).meters

        assert "power samples, trapezoids" in meter.source
        assert meter.resolution_joules is None


class TestMeter:
    def test_energy_is_the_loss_of_the_battery(self, tmp_path: Path) -> None:
        roots = build_machine(LAPTOP, tmp_path)
        (meter,) = find(roots).meters

        before = meter.resolution_joules
        meter.begin()
        put(roots.sys / "class/power_supply/BAT0/energy_now", "29980000")
        reading = meter.end()

        assert before is None
        assert reading.joules == pytest.approx(72.0)
        assert meter.resolution_joules == 72.0  # it counts in 10 mWh

    def test_window_that_was_not_begun_is_absent(self, tmp_path: Path) -> None:
        (meter,) = find(build_machine(LAPTOP, tmp_path)).meters

        assert (meter.end().joules, meter.end().reason) == (None, "the window was not begun")

    @pytest.mark.parametrize(
        ("file", "text", "reason"),
        [
            ("energy_now", "30000000", "less than one step"),
            ("energy_now", "30010000", "36 J more than before"),
            ("energy_now", "-1", "possible is 0"),
            ("status", "Charging", "the machine is on mains power"),
        ],
    )
    def test_window_without_a_loss_is_absent(self, file: str, text: str, reason: str, tmp_path: Path) -> None:
        roots = build_machine(LAPTOP, tmp_path)
        (meter,) = find(roots).meters

        meter.begin()
        put(roots.sys / "class/power_supply/BAT0" / file, text)
        reading = meter.end()

        assert reading.joules is None
        assert reason in reading.reason
