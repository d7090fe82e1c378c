from pathlib import Path

from orchestrator.daemon.health.calibration import load_or_calibrate, renew
from orchestrator.wire.builds import CalibrationReport

KEY = "ab" * 32


def calibration(value: float, build_key: str = KEY) -> CalibrationReport:
    return CalibrationReport(build_key=build_key, kind="noop", value=value, unit="ns")


class TestLoadOrCalibrate:
    def test_calibration_is_measured_once_per_build_and_boot(self, tmp_path: Path) -> None:
        path = tmp_path / "latest.json"

        assert load_or_calibrate(path, KEY, lambda: [calibration(1.0)])[0].value == 1.0
        assert load_or_calibrate(path, KEY, lambda: [calibration(2.0)])[0].value == 1.0
        assert load_or_calibrate(path, "cd" * 32, lambda: [calibration(2.0, "cd" * 32)])[0].value == 2.0

    def test_damaged_file_is_measured_again(self, tmp_path: Path) -> None:
        path = tmp_path / "latest.json"
        path.write_text("{")

        assert load_or_calibrate(path, KEY, lambda: [calibration(3.0)])[0].value == 3.0

    def test_newer_calibration_replaces_the_one_of_its_kind(self, tmp_path: Path) -> None:
        """A restarted daemon must not report the noise floor from before the last health check."""
        path = tmp_path / "latest.json"
        floor = CalibrationReport(build_key=KEY, kind="noise-floor", value=0.01, unit="share of work_wall_ns")
        load_or_calibrate(path, KEY, lambda: [calibration(1.0), floor])

        renew(path, floor.model_copy(update={"value": 0.02}))
        renew(path, floor.model_copy(update={"value": 0.03, "build_key": "cd" * 32}))

        assert [one.value for one in load_or_calibrate(path, KEY, list)] == [1.0, 0.02]
