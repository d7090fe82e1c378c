from pathlib import Path

import pytest

from orchestrator.measurement.sensors.pmic import find, parse_rails, power_watts
from orchestrator.shared.errors import NoData
from tests.support.kernel_tree import build, build_machine

PI_5 = "raspberry-pi-5"
RAIL = " VDD_CORE_A current(7)=2.0A\n VDD_CORE_V volt(15)=0.8V\n"


class TestParseRails:
    def test_rails_have_volts_and_amperes_and_the_input_has_volts_only(self) -> None:
        rails = parse_rails(RAIL + "EXT5V_V volt(24)=5.1V\n")

        assert power_watts(rails) == {"VDD_CORE": 1.6}
        assert rails["EXT5V"].volts == 5.1
        assert rails["EXT5V"].amperes is None

    @pytest.mark.parametrize(
        "line",
        [
            "VDD_CORE_A current(7)=nanA", "VDD_CORE_A current(7)=-2.0A", "VDD_CORE_A current(7)=A",
            "VDD_CORE_V volt(15)=99.0V", "VDD_CORE_V volt(15)", "Command not registered",
        ],
    )  # fmt: skip
    def test_one_unexpected_line_rejects_the_text(self, line: str) -> None:
        # The sum without one rail would be too small a power.
        with pytest.raises(NoData, match="pmic_read_adc"):
            parse_rails(RAIL + line)

    def test_empty_text_is_refused(self) -> None:
        with pytest.raises(NoData, match="printed nothing"):
            parse_rails("\n")


class TestFind:
    def test_response_without_a_rail_has_no_power(self, tmp_path: Path) -> None:
        power, _ = find(build_machine(PI_5, tmp_path)).sensors
        answer = tmp_path / "bin/vcgencmd.pmic_read_adc"
        answer.write_text(answer.read_text().replace("      HDMI_A current(22)=0.02000000A\n", ""))

        value = power.read()

        assert value.value is None
        assert value.reason.endswith("different rails than at the start: HDMI")

    def test_older_pi_has_no_such_chip(self, tmp_path: Path) -> None:
        found = find(build("$ vcgencmd get_throttled\nthrottled=0x0\n", tmp_path))

        assert found.sensors == ()
        assert "Command not registered" in found.absent

    def test_unchanging_values_are_reported_as_stuck(self, tmp_path: Path) -> None:
        (meter,) = find(build_machine(PI_5, tmp_path)).meters
        meter.interval_seconds = 0.005

        meter.begin()
        while len(meter._samples) < 12:
            pass
        reading = meter.end()

        assert reading.joules is None
        assert "samples are identical" in reading.reason
