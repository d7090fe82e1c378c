import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.shared.errors import InvalidRequest
from orchestrator.statistics.median import median_interval
from orchestrator.statistics.power import (
    detectable_difference,
    expected_relative_interval,
    floor_of_comparison,
    repetitions_for_difference,
    repetitions_for_interval,
)

dispersions = st.floats(min_value=1e-4, max_value=0.2)


def disturbed_times(generator: np.random.Generator, shape: tuple[int, int], dispersion: float) -> np.ndarray:
    """Return log-normal times of which 3 % are 3 to 10 times as long."""
    hit = generator.random(shape) < 0.03
    return np.asarray(
        np.exp(generator.normal(0, dispersion, shape)) * np.where(hit, generator.uniform(3, 10, shape), 1.0)
    )


class TestExpectedRelativeInterval:
    @pytest.mark.parametrize("repetitions", [15, 30, 100])
    def test_most_intervals_are_as_narrow_as_expected(self, repetitions: int) -> None:
        times = disturbed_times(np.random.default_rng(5), (500, repetitions), 0.02)
        intervals = [median_interval(row.tolist()) for row in times]
        halves = [(one.high - one.low) / 2 for one in intervals if one is not None]
        expected = expected_relative_interval(0.02, repetitions)
        assert expected is not None
        assert 0.7 <= np.mean(np.array(halves) <= expected) <= 0.95

    @pytest.mark.parametrize("repetitions", [0, 1, 5])
    def test_too_few_repetitions_have_no_interval(self, repetitions: int) -> None:
        assert expected_relative_interval(0.02, repetitions) is None
        assert detectable_difference(0.02, repetitions) is None

    def test_zero_dispersion_requires_the_minimum(self) -> None:
        assert expected_relative_interval(0.0, 6) == 0.0
        assert repetitions_for_interval(0.0, 0.01) == 6

    @pytest.mark.parametrize("dispersion", [-0.1, math.nan, math.inf])
    def test_impossible_dispersion_is_refused(self, dispersion: float) -> None:
        with pytest.raises(InvalidRequest, match="dispersion"):
            expected_relative_interval(dispersion, 10)


class TestRepetitions:
    @given(dispersions, st.floats(min_value=1e-3, max_value=0.5))
    def test_repetitions_suffice_and_one_fewer_does_not(self, dispersion: float, target: float) -> None:
        n = repetitions_for_interval(dispersion, target)
        if n is None:
            return
        reached, fewer = expected_relative_interval(dispersion, n), expected_relative_interval(dispersion, n - 1)
        assert reached is not None
        assert reached <= target
        assert fewer is None or fewer > target

    @given(dispersions, st.floats(min_value=1e-3, max_value=0.5), st.integers(min_value=1, max_value=50))
    def test_difference_found_by_n_is_not_found_by_fewer(self, dispersion: float, target: float, inputs: int) -> None:
        n = repetitions_for_difference(dispersion, target, inputs)
        if n is None:
            return
        found, fewer = detectable_difference(dispersion, n, inputs), detectable_difference(dispersion, n - 1, inputs)
        assert found is not None
        assert found <= target
        assert fewer is None or fewer > target or (inputs == 1 and n == 12)

    def test_one_input_requires_enough_blocks_to_tolerate_a_disturbed_one(self) -> None:
        assert repetitions_for_difference(0.001, 0.5) == 12
        assert repetitions_for_difference(0.001, 0.5, inputs=4) == 6

    def test_precision_beyond_a_million_repetitions_is_none(self) -> None:
        assert repetitions_for_interval(0.2, 1e-6) is None
        assert repetitions_for_difference(0.2, 1e-6) is None

    @pytest.mark.parametrize("target", [0.0, -0.01, math.nan])
    def test_impossible_precision_is_refused(self, target: float) -> None:
        with pytest.raises(InvalidRequest):
            repetitions_for_interval(0.02, target)
        with pytest.raises(InvalidRequest):
            repetitions_for_difference(0.02, target)
        with pytest.raises(InvalidRequest):
            detectable_difference(0.02, 10, inputs=0)


class TestFloorOfComparison:
    def test_more_blocks_and_inputs_lower_the_floor(self) -> None:
        """A fixed floor of 1.7 % hid three of six planted differences of 2 % for any number of measurements."""
        assert floor_of_comparison(0.017, 160, 1) == pytest.approx(math.expm1(math.log1p(0.017) / 2))
        assert floor_of_comparison(0.017, 40, 4) == floor_of_comparison(0.017, 160, 1)

    def test_fewer_blocks_do_not_raise_the_floor(self) -> None:
        assert floor_of_comparison(0.017, 6, 1) == pytest.approx(0.017)

    def test_impossible_floor_is_refused(self) -> None:
        with pytest.raises(InvalidRequest):
            floor_of_comparison(-0.1, 40, 1)
