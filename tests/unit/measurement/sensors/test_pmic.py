from pathlib import Path

import pytest

from orchestrator.errors import NoData
from orchestrator.measurement.sensors.pmic import find, parse_rails, power_watts
from tests.support.kernel_tree import build, build_machine

PI_5 = "raspberry-pi-5"
RAIL = " VDD_CORE_A current(7)=2.0A\n VDD_CORE_V volt(15)=0.8V\n"


class TestParseRails:
    def test_rails_have_volts_and_amperes_and_the_input_has_volts_alone(self) -> None:
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
    def test_nonsense_is_refused_whole(self, line: str) -> None:
        # A sum that lacks one rail would be a smaller power than there is.
        with pytest.raises(NoData, match="pmic_read_adc"):
            parse_rails(RAIL + line)

    def test_nothing_is_refused(self) -> None:
        with pytest.raises(NoData, match="says nothing"):
            parse_rails("\n")


class TestFind:
    def test_the_source_says_what_is_not_in_it(self, tmp_path: Path) -> None:
        found = find(build_machine(PI_5, tmp_path))

        (meter,) = found.meters
        assert meter.name == "pmic, 12 rails"
        assert "5 V input has no current converter" in meter.source
        assert meter.resolution_joules == pytest.approx(1e-4)

    def test_an_answer_that_lacks_a_rail_is_no_power(self, tmp_path: Path) -> None:
        power, _ = find(build_machine(PI_5, tmp_path)).sensors
        answer = tmp_path / "bin/vcgencmd.pmic_read_adc"
        answer.write_text(answer.read_text().replace("      HDMI_A current(22)=0.02000000A\n", ""))

        value = power.read()

        assert value.value is None
        assert value.reason.endswith("other rails than at the start: HDMI")

    def test_an_older_pi_says_that_it_has_no_such_chip(self, tmp_path: Path) -> None:
        found = find(build("$ vcgencmd get_throttled\nthrottled=0x0\n", tmp_path))

        assert found.sensors == ()
        assert "Command not registered" in found.absent

    def test_figures_that_never_move_are_a_source_that_is_stuck(self, tmp_path: Path) -> None:
        (meter,) = find(build_machine(PI_5, tmp_path)).meters
        meter.interval_seconds = 0.005

        meter.begin()
        while len(meter._samples) < 12:
            pass
        reading = meter.end()

        assert reading.joules is None
        assert "the same to the last digit" in reading.reason
