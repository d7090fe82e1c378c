"""Values of kernel files that are unexpected, missing or stuck."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.measurement.sensors.ina import find as find_ina
from orchestrator.measurement.sensors.reading import FileSensor, ValueRange, distinct, folders, place, read_number
from orchestrator.measurement.sensors.temperature import find
from tests.support.kernel_tree import build, put


def zone(path: Path) -> FileSensor:
    limits = ValueRange(-40, 150, "celsius")
    return FileSensor("temperature_celsius here", "celsius", path, 0.001, limits, "0.001 celsius", moves=True)


class TestUnexpectedContent:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("", "is empty"),
            ("nan", "a finite number"),
            ("1e999", "a finite number"),
            ("disabled", "must contain a number, got 'disabled'"),
            ("-273000", "reads -273 celsius, possible is -40 to 150 celsius"),
            ("255000", "reads 255 celsius, possible is -40 to 150 celsius"),
        ],
    )
    def test_unexpected_content_is_absent_with_the_reason(self, text: str, reason: str, tmp_path: Path) -> None:
        put(tmp_path / "temp", text)

        value = zone(tmp_path / "temp").read()

        assert value.value is None
        assert reason in value.reason
        assert str(tmp_path / "temp") in value.reason

    def test_negative_temperature_is_possible(self, tmp_path: Path) -> None:
        put(tmp_path / "temp", "-5000")

        assert zone(tmp_path / "temp").read().value == -5.0

    @given(st.binary(max_size=40))
    def test_any_content_gives_a_possible_value_or_a_reason(
        self, tmp_path_factory: pytest.TempPathFactory, content: bytes
    ) -> None:
        path = tmp_path_factory.getbasetemp() / "anything"
        path.write_bytes(content)

        value = zone(path).read()

        assert (value.value is None) == bool(value.reason)
        assert value.value is None or -40 <= value.value <= 150


class TestMissingFile:
    def test_missing_sensor_is_absent_until_it_returns(self, tmp_path: Path) -> None:
        path = tmp_path / "hwmon2" / "temp1_input"
        put(path, "40000")
        sensor = zone(path)
        path.unlink()
        path.parent.rmdir()

        gone = sensor.read()
        put(path, "41000")

        assert gone.value is None
        assert "does not exist" in gone.reason
        assert sensor.read().value == 41.0

    def test_folder_instead_of_the_file_is_absent(self, tmp_path: Path) -> None:
        (tmp_path / "temp").mkdir()

        assert "could not be read: Is a directory" in read_number(tmp_path / "temp").reason


class TestStuck:
    def test_unchanging_value_is_kept_and_noted_in_the_resolution(self, tmp_path: Path) -> None:
        # acpitz of many boards always reads 27.8, but a well cooled machine may be stable for minutes, too.
        put(tmp_path / "temp", "27800")
        sensor = zone(tmp_path / "temp")

        values = {sensor.read().value for _ in range(359)}
        before = sensor.resolution
        sensor.read()

        assert values == {27.8}
        assert "stuck" not in before
        assert "the same value in the last 360 readings: it may be stuck" in sensor.resolution

        put(tmp_path / "temp", "27900")
        sensor.read()
        assert "stuck" not in sensor.resolution


class TestNames:
    @given(st.lists(st.text(max_size=60), max_size=5))
    def test_place_fits_the_name_of_a_reading(self, texts: list[str]) -> None:
        for text in distinct(place(text) for text in texts):
            assert 0 < len(text) <= 40
            assert all(" " <= character <= "~" for character in text)

    def test_equal_names_are_numbered(self) -> None:
        assert distinct(["acpitz", "cpu", "acpitz"]) == ["acpitz", "cpu", "acpitz 2"]

    def test_folders_are_sorted_by_number(self, tmp_path: Path) -> None:
        for number in (10, 2, 1):
            (tmp_path / f"hwmon{number}").mkdir()

        assert [path.name for path in folders(tmp_path, "hwmon*")] == ["hwmon1", "hwmon2", "hwmon10"]


class TestZones:
    def test_zone_listed_in_hwmon_is_read_once(self, tmp_path: Path) -> None:
        description = (
            "sys/class/thermal/thermal_zone0/type = soc-thermal\nsys/class/thermal/thermal_zone0/temp = 1000\n"
            "sys/class/hwmon/hwmon0/name = soc_thermal\nsys/class/hwmon/hwmon0/temp1_input = 1000\n"
            "sys/class/hwmon/hwmon1/name = k10temp\nsys/class/hwmon/hwmon1/temp1_input = 2000\n"
            "sys/class/hwmon/hwmon1/temp1_label = Tctl\n"
        )

        names = [sensor.name for sensor in find(build(description, tmp_path)).sensors]

        assert names == ["temperature_celsius soc-thermal", "temperature_celsius k10temp Tctl"]


class TestRenumberedHwmon:
    def test_renumbered_chip_is_found_and_not_confused_with_another(self, tmp_path: Path) -> None:
        # hwmon2 was the meter on the bus. Plugged in again, it is hwmon3, and hwmon2 is another device.
        by_class, device = tmp_path / "sys/class/hwmon", tmp_path / "sys/devices/i2c-1/1-0040/hwmon"
        roots = build("", tmp_path)
        by_class.mkdir(parents=True)
        put(device / "hwmon2/name", "ina219")
        put(device / "hwmon2/power1_input", "2000000")
        (by_class / "hwmon2").symlink_to(device / "hwmon2")
        (sensor,) = find_ina(roots).sensors

        before = sensor.read()
        (device / "hwmon2").rename(device / "hwmon3")
        (by_class / "hwmon2").unlink()
        put(by_class / "hwmon2/name", "ina226")
        put(by_class / "hwmon2/power1_input", "9000000")

        assert before.value == 2.0
        assert sensor.read().value == 2.0
        put(device / "hwmon3/power1_input", "3000000")
        assert sensor.read().value == 3.0
