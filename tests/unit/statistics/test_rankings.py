"""Quotients of summed times cover the quotient of the true times; rank correlations agree with scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from orchestrator.statistics.paired import compare
from orchestrator.statistics.rankings.correlation import agreement
from orchestrator.statistics.rankings.sums import weighted_sums
from tests.support.simulated_fields import simulated_times

WEIGHTS = (1.0, 1.0, 3.0, 3.0)


class TestQuotient:
    def test_quotient_of_exact_times_is_that_of_their_weighted_sums(self) -> None:
        masked = np.tile([8.0, 10.0, 2.0, 3.0], (6, 1))
        unmasked = np.tile([4.0, 4.0, 1.0, 1.0], (6, 1))
        found = compare(*(weighted_sums(one, WEIGHTS)[:, None] for one in (masked, unmasked)))
        assert found.ratio == pytest.approx((8 + 10 + 3 * 2 + 3 * 3) / (4 + 4 + 3 + 3))
        assert found.interval is not None
        assert found.blocks == 6

    def test_block_without_a_time_does_not_count(self) -> None:
        times = np.ones((8, 4))
        times[2, 1] = np.nan
        sums = weighted_sums(times, WEIGHTS)
        assert np.isnan(sums[2])

    def test_disturbed_execution_does_not_decide_a_quotient(self) -> None:
        times = 100.0 * np.exp(np.random.default_rng(1).normal(0, 0.01, (20, 4)))
        disturbed = times.copy()
        disturbed[3, 0] *= 1000
        whole, hit = (weighted_sums(one, WEIGHTS) for one in (times, disturbed))
        assert hit[3] / whole[3] == pytest.approx(1, abs=0.05)

    def test_weights_must_fit_the_inputs(self) -> None:
        with pytest.raises(ValueError, match="4 weights need as many inputs, got 3"):
            weighted_sums(np.ones((6, 3)), WEIGHTS)

    @pytest.mark.parametrize("blocks", [6, 20])
    def test_interval_covers_the_quotient_of_the_true_times(self, blocks: int) -> None:
        generator = np.random.default_rng(20261122 + blocks)
        masked, unmasked = np.array([9000.0, 9500.0, 2500.0, 2700.0]), np.array([1000.0, 1010.0, 340.0, 360.0])
        truth, missed, trials = float(masked @ WEIGHTS / (unmasked @ WEIGHTS)), 0, 600
        for _ in range(trials):
            times = simulated_times(generator, [masked, unmasked], blocks)
            interval = compare(*(weighted_sums(one, WEIGHTS)[:, None] for one in times)).interval
            assert interval is not None
            missed += not interval.contains(truth)
        # At most 5 % may miss it; 600 trials of that have more than 7.7 % with a probability of 0.2 %.
        assert missed / trials < 0.077


class TestAgreement:
    @given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12))
    def test_coefficients_are_those_of_scipy(self, pairs: list[tuple[int, int]]) -> None:
        first, second = ({place: float(pair[side]) for place, pair in enumerate(pairs)} for side in (0, 1))
        found = agreement(first, second)
        one, two = list(first.values()), list(second.values())
        if len(set(one)) < 2 or len(set(two)) < 2:
            assert (found.kendall_tau, found.spearman_rho) == (None, None)
            return
        assert found.kendall_tau == pytest.approx(stats.kendalltau(one, two).statistic, abs=1e-12)
        assert found.spearman_rho == pytest.approx(stats.spearmanr(one, two).statistic, abs=1e-12)

    def test_rows_that_move_most_come_first(self) -> None:
        found = agreement({"a": 1, "b": 2, "c": 3, "d": 4}, {"d": 1, "a": 2, "b": 3, "c": 4})
        assert [(one.row, one.first_rank, one.second_rank) for one in found.moves] == [
            ("d", 4, 1), ("a", 1, 2), ("b", 2, 3), ("c", 3, 4),
        ]  # fmt: skip
        assert found.kendall_tau == pytest.approx(0)
        assert found.spearman_rho == pytest.approx(-0.2)

    def test_only_common_rows_are_ranked(self) -> None:
        found = agreement({"a": 1, "b": 2, "c": 2, "d": 9}, {"c": 1, "d": 5, "x": 0})
        assert (found.rows, found.kendall_tau, found.moves) == (2, 1.0, ())

    def test_rankings_without_common_rows_have_no_agreement(self) -> None:
        found = agreement({"a": 1}, {"b": 1})
        assert (found.rows, found.kendall_tau, found.spearman_rho, found.moves) == (0, None, None, ())

    def test_tied_rows_have_the_mean_of_their_places(self) -> None:
        found = agreement({"a": 1, "b": 1, "c": 3}, {"a": 1, "b": 2, "c": 3})
        assert [(one.row, one.first_rank, one.second_rank) for one in found.moves] == [("a", 1.5, 1), ("b", 1.5, 2)]
        assert math.isclose(found.kendall_tau or 0, 2 / math.sqrt(2 * 3))
