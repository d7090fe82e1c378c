import numpy as np
import pytest

from orchestrator.statistics.effect_size import effect_size


class TestEffectSize:
    def test_superiority_counts_equal_blocks_half(self) -> None:
        assert effect_size(np.array([0.1, 0.2, -0.1, 0.0])).superiority == pytest.approx(2.5 / 4)

    def test_standardized_difference_is_mean_over_standard_deviation(self) -> None:
        assert effect_size(np.array([1.0, 2.0, 3.0])).standardized == pytest.approx(2.0)

    def test_equal_blocks_have_no_standardized_difference(self) -> None:
        assert effect_size(np.array([0.5, 0.5])).standardized is None
        assert effect_size(np.array([0.5])).standardized is None
