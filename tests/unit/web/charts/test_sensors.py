from datetime import UTC, datetime

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
