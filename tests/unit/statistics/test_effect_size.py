import numpy as np
import pytest

from orchestrator.statistics.effect_size import effect_size


class TestEffectSize:
    def test_blocks_are_counted_and_a_draw_counts_half(self) -> None:
        assert effect_size(np.array([0.1, 0.2, -0.1, 0.0])).superiority == pytest.approx(2.5 / 4)

    def test_the_mean_is_told_in_standard_deviations_of_blocks(self) -> None:
        assert effect_size(np.array([1.0, 2.0, 3.0])).standardized == pytest.approx(2.0)

    def test_blocks_that_do_not_differ_have_no_standard_deviation_to_tell_it_in(self) -> None:
        assert effect_size(np.array([0.5, 0.5])).standardized is None
        assert effect_size(np.array([0.5])).standardized is None
