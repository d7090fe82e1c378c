from datetime import UTC, datetime

import pytest

from orchestrator.web.charts.leading import Top
from orchestrator.web.charts.sensors import spec
from orchestrator.wire.health import SensorSample
from tests.unit.web.charts.builders import rows

AT = datetime(2026, 11, 22, 4, 5, tzinfo=UTC)


def sample(sensor: str, unit: str, value: float) -> SensorSample:
    return SensorSample(sensor=sensor, unit=unit, read_at=AT, value=value)


def test_each_quantity_has_a_panel_with_its_unit() -> None:
    readings = [
        sample("temperature_celsius cpu", "celsius", 51.5),
        sample("frequency_hz cpu3", "Hz", 1.8e9),
        sample("frequency_hz cpu2", "Hz", 1.5e9),
    ]
    found = spec(readings)
    assert found["usermeta"]["panels"] == 2
    assert {(row["panel"], row["place"], row["value"]) for row in rows(found)} == {
        ("Temperature, °C", "cpu", 51.5), ("Frequency, MHz", "cpu3", 1800), ("Frequency, MHz", "cpu2", 1500),
    }  # fmt: skip


@pytest.mark.parametrize(("top", "drawn"), [("", 12), ("24", 24), ("all", 64)])
def test_top_is_the_number_of_sensors_of_each_quantity(top: str, drawn: int) -> None:
    frequencies = [sample(f"frequency_hz cpu{number:02}", "Hz", 1e9 + 1e6 * number) for number in range(64)]
    readings = [*frequencies, sample("temperature_celsius cpu", "celsius", 51.5)]
    places = {row["place"] for row in rows(spec(readings, Top.parse(top)))}
    assert places == {"cpu"} | {f"cpu{number:02}" for number in range(64 - drawn, 64)}
