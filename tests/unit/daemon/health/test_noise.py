import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.daemon.health.noise import noise_floor, pseudo_median, single_execution_spread
from orchestrator.statistics.location import locate
from orchestrator.statistics.power import FLOOR_BLOCKS

floats = st.floats(-1, 1, allow_subnormal=False)


class TestNoiseFloor:
    def test_common_difference_of_all_pairs_is_not_noise(self) -> None:
        """The two executions of a pair are interchangeable, so their order must not matter."""
        random = Random(1)
        assert noise_floor([random.gauss(0.02, 0.005) for _ in range(40)]) < 0.01

    def test_noise_floor_matches_the_dispersion_of_equal_comparisons(self) -> None:
        """95 % of the comparisons over 40 blocks stay below it, with the estimator that answers use."""
        random = Random(7)

        def ratio() -> float:
            slow = random.uniform(3, 10) if random.random() < 0.03 else 1.0
            return random.gauss(0, 0.03) + math.log(slow) * random.choice((-1, 1))

        floors = [math.log1p(noise_floor([ratio() for _ in range(40)])) for _ in range(12)]
        seen = sorted(abs(locate(np.array([ratio() for _ in range(FLOOR_BLOCKS)])).middle) for _ in range(400))
        assert seen[340] < sum(floors) / len(floors) < seen[396]


class TestPseudoMedian:
    @given(st.lists(floats, min_size=1, max_size=30))
    def test_pseudo_median_equals_the_estimator_of_answers(self, values: list[float]) -> None:
        assert pseudo_median(values) == pytest.approx(locate(np.array(values)).middle, abs=1e-12)


class TestSpread:
    def test_spread_is_the_standard_deviation_of_the_logarithm(self) -> None:
        random = Random(3)
        walls_ns = [5e6 * random.lognormvariate(0, 0.02) for _ in range(2000)]
        assert single_execution_spread(walls_ns) == pytest.approx(0.02, rel=0.1)

    def test_spread_ignores_outliers(self) -> None:
        quiet = [5e6, 5.1e6, 4.9e6, 5.05e6, 4.95e6]
        assert single_execution_spread([*quiet, 50e6]) < 0.04
