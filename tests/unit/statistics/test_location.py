import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from orchestrator.shared.errors import NoData
from orchestrator.statistics.location import locate

values = st.lists(
    st.floats(min_value=-100, max_value=100).filter(lambda value: abs(value) > 1e-6),
    min_size=6,
    max_size=25,
    unique=True,
)


class TestLocate:
    def test_agrees_with_a_worked_example(self) -> None:
        # Hollander and Wolfe, example 3.1 (Hamilton depression scale): estimate -0.46, p 0.0391; the interval goes from
        # the 6th to the 40th of 45 means (96.1 %), -0.786 to -0.010.
        before = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
        after = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
        found = locate(after - before)
        assert found.middle == pytest.approx(-0.46)
        assert found.p == pytest.approx(0.0390625)
        assert found.interval is not None
        assert (found.interval.low, found.interval.high) == pytest.approx((-0.786, -0.010))

    @given(values)
    def test_p_agrees_with_scipy_unless_all_signs_agree(self, found: list[float]) -> None:
        sample = np.array(found)
        if len(np.unique(np.abs(sample))) < len(sample) or (sample > 0).all() or (sample < 0).all():
            return
        exact = stats.wilcoxon(sample, method="exact").pvalue
        assert locate(sample).p == pytest.approx(exact)

    @given(values)
    def test_p_and_interval_agree(self, found: list[float]) -> None:
        where = locate(np.array(found))
        assert where.interval is not None
        assert where.p is not None
        assert (where.p <= 0.05) == (not where.interval.contains(0.0))
        assert where.interval.contains(where.middle)

    @given(values, st.floats(min_value=-50, max_value=50))
    def test_shifted_values_shift_the_result(self, found: list[float], shift: float) -> None:
        before, after = locate(np.array(found)), locate(np.array(found) + shift)
        assert before.interval is not None
        assert after.interval is not None
        assert after.middle == pytest.approx(before.middle + shift, abs=1e-9)
        assert after.interval.low == pytest.approx(before.interval.low + shift, abs=1e-9)

    def test_few_blocks_that_agree_remain_significant_after_correction(self) -> None:
        # Flips alone give 6 blocks no p below 0.03, so that no difference would remain after correcting 2 comparisons.
        p = locate(np.log([2.0, 2.02, 1.98, 2.01, 1.99, 2.0])).p
        assert p is not None
        assert p < 1e-6

    def test_one_deviating_block_does_not_decide(self) -> None:
        found = locate(np.array([*np.linspace(0.019, 0.021, 15), -2.0]))
        assert found.p is not None
        assert found.p < 0.05
        assert found.middle == pytest.approx(0.02, abs=0.001)

    @pytest.mark.parametrize("n", [1, 5])
    def test_too_few_values_have_neither_interval_nor_p(self, n: int) -> None:
        found = locate(np.arange(1.0, n + 1))
        assert (found.n, found.interval, found.p) == (n, None, None)

    def test_empty_sample_raises_no_data(self) -> None:
        with pytest.raises(NoData):
            locate(np.array([]))

    def test_many_values_are_grouped(self) -> None:
        found = locate(np.random.default_rng(1).normal(3.0, 1.0, 100_000))
        assert found.n == 100_000
        assert found.interval is not None
        assert found.interval.contains(found.middle)
        assert found.middle == pytest.approx(3.0, abs=0.02)
        assert found.interval.high - found.interval.low == pytest.approx(2 * 1.96 / np.sqrt(100_000), rel=0.2)

    @pytest.mark.parametrize("n", [6, 10, 20])
    def test_interval_misses_the_truth_at_the_nominal_rate(self, n: int) -> None:
        # Cauchy: no mean, no variance. 1 500 trials have a standard error of 0.6 points.
        generator = np.random.default_rng(20261120)
        intervals = [locate(generator.standard_cauchy(n)).interval for _ in range(1500)]
        assert np.mean([one is not None and not one.contains(0.0) for one in intervals]) <= 0.065
