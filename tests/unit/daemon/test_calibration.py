import math
from pathlib import Path
from random import Random

from orchestrator.daemon.calibration import _chance_of_medians, load_or_calibrate
from orchestrator.wire.builds import Calibration

KEY = "ab" * 32


def calibration(value: float, build_key: str = KEY) -> Calibration:
    return Calibration(build_key=build_key, kind="noop", value=value, unit="ns")


class TestChanceOfMedians:
    def test_no_spread_is_no_noise(self) -> None:
        assert _chance_of_medians([0.0] * 40) == 0.0

    def test_it_shrinks_with_the_number_of_pairs(self) -> None:
        """The median of n normal values spreads by sigma * sqrt(pi / 2n); 95 % of them lie within 1.96 of that."""
        random = Random(5)
        few, many = (_chance_of_medians([random.gauss(0, 0.1) for _ in range(n)]) for n in (20, 500))

        assert many < few
        assert 0.3 < many / (1.96 * 0.1 * math.sqrt(math.pi / 1000)) < 3


class TestLoadOrCalibrate:
    def test_it_is_measured_once_for_a_build_and_boot(self, tmp_path: Path) -> None:
        path = tmp_path / "latest.json"

        assert load_or_calibrate(path, KEY, lambda: [calibration(1.0)])[0].value == 1.0
        assert load_or_calibrate(path, KEY, lambda: [calibration(2.0)])[0].value == 1.0

    def test_another_build_is_measured_anew(self, tmp_path: Path) -> None:
        path = tmp_path / "latest.json"
        load_or_calibrate(path, KEY, lambda: [calibration(1.0)])

        assert load_or_calibrate(path, "cd" * 32, lambda: [calibration(2.0, "cd" * 32)])[0].value == 2.0

    def test_a_damaged_file_is_measured_anew(self, tmp_path: Path) -> None:
        path = tmp_path / "latest.json"
        path.write_text("{")

        assert load_or_calibrate(path, KEY, lambda: [calibration(3.0)])[0].value == 3.0
