import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import InvalidRequest
from orchestrator.statistics.median import median_interval
from orchestrator.statistics.power import (
    detectable_difference,
    expected_relative_interval,
    floor_of_comparison,
    repetitions_for_difference,
    repetitions_for_interval,
)

spreads = st.floats(min_value=1e-4, max_value=0.2)


def disturbed_times(generator: np.random.Generator, shape: tuple[int, int], spread: float) -> np.ndarray:
    """Log-normal times of which 3 % are 3 to 10 times as long."""
    hit = generator.random(shape) < 0.03
    return np.asarray(np.exp(generator.normal(0, spread, shape)) * np.where(hit, generator.uniform(3, 10, shape), 1.0))


class TestExpectedRelativeInterval:
    @pytest.mark.parametrize("repetitions", [15, 30, 100])
    def test_most_cases_come_out_as_narrow_as_said(self, repetitions: int) -> None:
        times = disturbed_times(np.random.default_rng(5), (500, repetitions), 0.02)
        intervals = [median_interval(row.tolist()) for row in times]
        halves = [(one.high - one.low) / 2 for one in intervals if one is not None]
        expected = expected_relative_interval(0.02, repetitions)
        assert expected is not None
        assert 0.7 <= np.mean(np.array(halves) <= expected) <= 0.95

    @pytest.mark.parametrize("repetitions", [0, 1, 5])
    def test_too_few_repetitions_have_none(self, repetitions: int) -> None:
        assert expected_relative_interval(0.02, repetitions) is None
        assert detectable_difference(0.02, repetitions) is None

    def test_no_spread_needs_no_more_than_the_fewest(self) -> None:
        assert expected_relative_interval(0.0, 6) == 0.0
        assert repetitions_for_interval(0.0, 0.01) == 6

    @pytest.mark.parametrize("spread", [-0.1, math.nan, math.inf])
    def test_an_impossible_spread_is_refused(self, spread: float) -> None:
        with pytest.raises(InvalidRequest, match="spread"):
            expected_relative_interval(spread, 10)


class TestRepetitions:
    @given(spreads, st.floats(min_value=1e-3, max_value=0.5))
    def test_they_suffice_and_one_fewer_does_not(self, spread: float, wanted: float) -> None:
        n = repetitions_for_interval(spread, wanted)
        if n is None:
            return
        reached, fewer = expected_relative_interval(spread, n), expected_relative_interval(spread, n - 1)
        assert reached is not None
        assert reached <= wanted
        assert fewer is None or fewer > wanted

    @given(spreads, st.floats(min_value=1e-3, max_value=0.5), st.integers(min_value=1, max_value=50))
    def test_a_difference_found_by_n_is_not_found_by_fewer(self, spread: float, wanted: float, inputs: int) -> None:
        n = repetitions_for_difference(spread, wanted, inputs)
        if n is None:
            return
        found, fewer = detectable_difference(spread, n, inputs), detectable_difference(spread, n - 1, inputs)
        assert found is not None
        assert found <= wanted
        assert fewer is None or fewer > wanted or (inputs == 1 and n == 12)

    def test_one_input_takes_enough_blocks_to_bear_with_a_disturbed_one(self) -> None:
        assert repetitions_for_difference(0.001, 0.5) == 12
        assert repetitions_for_difference(0.001, 0.5, inputs=4) == 6

    def test_what_a_million_cannot_reach_is_none(self) -> None:
        assert repetitions_for_interval(0.2, 1e-6) is None
        assert repetitions_for_difference(0.2, 1e-6) is None

    @pytest.mark.parametrize("wanted", [0.0, -0.01, math.nan])
    def test_an_impossible_wish_is_refused(self, wanted: float) -> None:
        with pytest.raises(InvalidRequest):
            repetitions_for_interval(0.02, wanted)
        with pytest.raises(InvalidRequest):
            repetitions_for_difference(0.02, wanted)
        with pytest.raises(InvalidRequest):
            detectable_difference(0.02, 10, inputs=0)


class TestFloorOfComparison:
    def test_more_blocks_and_inputs_make_it_finer(self) -> None:
        """A floor of 1.7 % once hid three of six planted differences of 2 %, however often they had been measured."""
        assert floor_of_comparison(0.017, 160, 1) == pytest.approx(math.expm1(math.log1p(0.017) / 2))
        assert floor_of_comparison(0.017, 40, 4) == floor_of_comparison(0.017, 160, 1)

    def test_fewer_do_not_raise_it(self) -> None:
        assert floor_of_comparison(0.017, 6, 1) == pytest.approx(0.017)

    def test_a_floor_that_is_none_is_refused(self) -> None:
        with pytest.raises(InvalidRequest):
            floor_of_comparison(-0.1, 40, 1)
