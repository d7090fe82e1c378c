import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.measurement.sensors.base import PowerSample
from orchestrator.measurement.sensors.integral import CounterReading, Window, counter_difference, integrate_power

SECOND = 1_000_000_000
WINDOW = Window(10 * SECOND, 20 * SECOND, 5 * SECOND)
POWERS = st.floats(0, 1000)


def samples(*points: tuple[float, float]) -> list[PowerSample]:
    return [PowerSample(int(seconds * SECOND), watts) for seconds, watts in points]


def counters(*points: tuple[float, float]) -> list[CounterReading]:
    return [CounterReading(int(seconds * SECOND), joules) for seconds, joules in points]


class TestIntegratePower:
    def test_linear_power_is_integrated_exactly(self) -> None:
        # 0 W at 10 s to 10 W at 20 s: 50 J, for any times of sampling.
        reading = integrate_power(samples((9, -1), (12, 2), (13, 3), (18, 8), (21, 11)), WINDOW)

        assert reading.joules == pytest.approx(50.0)

    @given(st.lists(st.tuples(st.integers(0, 30), POWERS), unique_by=lambda one: one[0], max_size=30))
    def test_mean_power_is_between_minimum_and_maximum(self, points: list[tuple[int, float]]) -> None:
        reading = integrate_power(samples(*sorted(points)), WINDOW)
        watts = [power for _, power in points]

        if reading.joules is None:
            assert reading.reason
            return
        assert 10 * min(watts) - 1e-6 <= reading.joules <= 10 * max(watts) + 1e-6

    def test_two_readings_are_too_few(self) -> None:
        reading = integrate_power(samples((5, 2), (12, 2), (18, 2), (25, 2)), WINDOW)

        assert reading.joules is None
        assert reading.reason == "2 readings within 10 s, at least 3 are required: measure longer"

    @pytest.mark.parametrize(
        "times", [(10.5, 11, 17), (16, 17, 18), (11, 12, 13)], ids=["within", "at the begin", "at the end"]
    )
    def test_long_gap_is_refused(self, times: tuple[float, ...]) -> None:
        reading = integrate_power(samples(*((seconds, 2) for seconds in times)), WINDOW)

        assert reading.joules is None
        assert "of the window, at most 5 s is allowed" in reading.reason


class TestCounterDifference:
    def test_counter_is_interpolated_at_both_ends(self) -> None:
        # 2 W all the time, read next to the ends.
        reading = counter_difference(counters((9, 18), (11, 22), (14, 28), (18, 36), (21, 42)), WINDOW)

        assert reading.joules == pytest.approx(20.0)

    def test_missing_reading_outside_an_end_is_refused(self) -> None:
        reading = counter_difference(counters((11, 22), (14, 28), (18, 36), (21, 42)), WINDOW)

        assert reading.joules is None
        assert reading.reason == "the counter was not read before and after the window"

    def test_reset_counter_is_refused(self) -> None:
        reading = counter_difference(counters((9, 18), (11, 22), (14, 0), (18, 8), (21, 14)), WINDOW)

        assert reading.joules is None
        assert "decreased" in reading.reason

    @given(st.lists(st.floats(0, 100), min_size=31, max_size=31))
    def test_energy_is_never_negative(self, steps: list[float]) -> None:
        readings, total = [], 0.0
        for second, step in enumerate(steps):
            total += step
            readings.append(CounterReading(second * SECOND, total))

        reading = counter_difference(readings, WINDOW)

        assert reading.joules is not None
        assert math.isclose(reading.joules, sum(steps[11:21]), abs_tol=1e-9)
