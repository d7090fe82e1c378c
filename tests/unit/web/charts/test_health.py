from datetime import UTC, datetime

from orchestrator.web.charts.health import CONTROL_TIME, NOISE_FLOOR, HealthPoint, spec
from tests.support.drawing import svg
from tests.unit.web.charts.builders import rows

AT = datetime(2026, 11, 22, 4, 5, tzinfo=UTC)


def test_times_are_milliseconds_and_noise_floors_percent() -> None:
    found = rows(spec([HealthPoint(AT, "healthy", 5e6, 4e6, 6e6, 0.02)]))
    assert [(row["panel"], row["value"], row["low"]) for row in found] == [(CONTROL_TIME, 5, 4), (NOISE_FLOOR, 2, None)]


def test_check_without_a_noise_floor_has_one_mark() -> None:
    found = spec([HealthPoint(AT, "degraded", 5e6, None, None, None)])
    assert [row["panel"] for row in rows(found)] == [CONTROL_TIME]
    assert svg(found).startswith("<svg")
