import pytest

from orchestrator.measurement.instrument.surroundings import (
    SLOW_EVERY_NS,
    Surroundings,
    SurroundingsWatch,
    judge_surroundings,
)
from orchestrator.measurement.sensors.base import Sensors, SensorValue
from tests.support.fakes import FakeClock, FakeSensor

COOL = SensorValue(40.0)


def state(bits: float | None) -> Surroundings:
    return Surroundings(COOL, SensorValue(bits, "" if bits is not None else "the firmware is silent"))


class TestSurroundingsWatch:
    def test_temperature_is_that_of_the_hottest_zone(self) -> None:
        zones = (FakeSensor("temperature_celsius a", [40.0]), FakeSensor("temperature_celsius b", [61.5]))

        assert SurroundingsWatch(Sensors(zones, (), {})).state().temperature.value == 61.5

    def test_missing_zone_does_not_hide_the_others(self) -> None:
        zones = (FakeSensor("temperature_celsius a", [None]), FakeSensor("temperature_celsius b", [-3.0]))

        assert SurroundingsWatch(Sensors(zones, (), {})).state().temperature.value == -3.0

    def test_without_sensors_the_reason_of_the_search_is_reported(self) -> None:
        found = SurroundingsWatch(Sensors((), (), {"temperature": "no zone under /sys"})).state()

        assert found.temperature == SensorValue(None, "no zone under /sys")
        assert found.throttled.value is None
        assert found.throttled.reason

    def test_slow_sensor_is_read_every_ten_seconds_and_reused_in_between(self) -> None:
        clock, slow = FakeClock(), FakeSensor("throttled_bits firmware", [4.0, 0.0], quick=False)
        watch = SurroundingsWatch(Sensors((slow,), (), {}), clock)

        assert [watch.state().throttled.value, watch.state().throttled.value] == [4.0, 4.0]
        clock.now_ns += SLOW_EVERY_NS
        assert watch.state().throttled.value == 0.0
        assert slow.readings == 2


class TestJudgeSurroundings:
    @pytest.mark.parametrize(
        ("before", "after", "bits"),
        [
            (0x0, 0x0, 0x0),
            (0x50000, 0x50000, 0x0),  # noted since boot, long ago
            (0x0, 0x4, 0x4),
            (0x1, 0x0, 0x1),
            (0x10000, 0x50000, 0x40000),  # came and went during the execution
        ],
    )
    def test_present_and_newly_recorded_bits_are_marked(self, before: int, after: int, bits: int) -> None:
        found = judge_surroundings(state(before), state(after))

        assert found.readings["throttled_bits"] == bits
        assert found.marks == (["throttled"] if bits else [])

    def test_unknown_bits_are_null_with_a_reason(self) -> None:
        found = judge_surroundings(state(0), state(None))

        assert found.readings["throttled_bits"] is None
        assert found.absent["throttled_bits"] == "the firmware is silent"
        assert found.marks == []

    def test_both_temperatures_are_reported(self) -> None:
        before, after = state(0), Surroundings(SensorValue(None, "gone"), SensorValue(0.0))

        found = judge_surroundings(before, after)

        assert found.readings["temperature_before_celsius"] == 40.0
        assert found.absent == {"temperature_after_celsius": "gone"}
