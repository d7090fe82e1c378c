from datetime import UTC, datetime

import pytest

from orchestrator.web.charts.leading import Top
from orchestrator.web.charts.sensors import PlottedReading, spec
from tests.unit.web.charts.builders import rows

AT = datetime(2026, 11, 22, 4, 5, tzinfo=UTC)


def test_each_quantity_has_a_panel_with_its_unit() -> None:
    readings = [
        PlottedReading("temperature_celsius cpu", "celsius", AT, 51.5),
        PlottedReading("frequency_hz cpu3", "Hz", AT, 1.8e9),
        PlottedReading("frequency_hz cpu2", "Hz", AT, 1.5e9),
    ]
    found = spec(readings)
    assert found["usermeta"]["panels"] == 2
    assert {(row["panel"], row["place"], row["value"]) for row in rows(found)} == {
        ("Temperature, °C", "cpu", 51.5), ("Frequency, MHz", "cpu3", 1800), ("Frequency, MHz", "cpu2", 1500),
    }  # fmt: skip


@pytest.mark.parametrize(("top", "drawn"), [("", 12), ("24", 24), ("all", 64)])
def test_top_is_the_number_of_sensors_of_each_quantity(top: str, drawn: int) -> None:
    frequencies = [PlottedReading(f"frequency_hz cpu{number:02}", "Hz", AT, 1e9 + 1e6 * number) for number in range(64)]
    readings = [*frequencies, PlottedReading("temperature_celsius cpu", "celsius", AT, 51.5)]
    places = {row["place"] for row in rows(spec(readings, Top.parse(top)))}
    assert places == {"cpu"} | {f"cpu{number:02}" for number in range(64 - drawn, 64)}
