"""Comparisons of samples that share no blocks."""

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind

from orchestrator.shared.errors import NoData
from orchestrator.statistics.comparisons.two_sample import TRIMMED_SHARE, compare_samples
from tests.support.simulated_runs import Executions, run_of


class TestCompareSamples:
    def test_statistic_equals_that_of_scipy(self) -> None:
        # scipy takes Welch's degrees of freedom; ours are those of the smaller sample, which are fewer.
        generator = np.random.default_rng(3)
        for sizes, factor in (((12, 12), 1.0), ((30, 9), 1.02), ((100, 100), 1.01)):
            first, second = (run_of(generator, Executions(), size) for size in sizes)
            found = compare_samples(first * factor, second)
            reference = ttest_ind(np.log(first * factor), np.log(second), equal_var=False, trim=TRIMMED_SHARE)
            kept = min(size - 2 * int(TRIMMED_SHARE * size) for size in sizes)
            assert found.p == pytest.approx(2 * student.sf(abs(reference.statistic), kept - 1), rel=1e-6)
            assert found.p >= reference.pvalue

    def test_interval_and_p_agree(self) -> None:
        generator = np.random.default_rng(4)
        for _ in range(200):
            found = compare_samples(run_of(generator, Executions(), 8), run_of(generator, Executions(), 11))
            assert found.interval is not None
            assert found.p is not None
            assert found.interval.contains(found.ratio)
            assert found.interval.contains(1.0) == (found.p > 0.05)

    def test_unequal_programs_rarely_and_equal_ones_seldom_differ(self) -> None:
        # 4 000 comparisons each: bench/comparison_errors.py. 300 have a standard error of 1 %.
        generator, wrong, found = np.random.default_rng(20261123), 0, 0
        for _ in range(300):
            first, second = run_of(generator, Executions(), 20), run_of(generator, Executions(noise=0.03), 20)
            wrong += (compare_samples(first, second).p or 1.0) <= 0.05
            found += (compare_samples(first * 1.05, second).p or 1.0) <= 0.05
        assert wrong <= 0.05 * 300 + 3 * 3.8
        assert found >= 0.9 * 300

    def test_few_readings_have_a_ratio_and_no_interval(self) -> None:
        found = compare_samples(np.array([2.0, 2.0, np.nan]), np.full(12, 1.0))
        assert (found.ratio, found.interval, found.p, found.blocks) == (pytest.approx(2), None, None, 2)

    def test_readings_without_dispersion(self) -> None:
        assert compare_samples(np.full(8, 3.0), np.full(8, 3.0)).p == 1.0
        assert compare_samples(np.full(8, 3.0), np.full(8, 2.0)).p == 0.0

    def test_slow_fifth_does_not_matter(self) -> None:
        first, second = np.full(10, 1.0) + np.arange(10) / 1000, np.full(10, 1.0) + np.arange(10) / 1000
        second[3:5] = 50.0
        assert compare_samples(first, second).ratio == pytest.approx(1.0, abs=0.01)

    def test_empty_sample_is_refused(self) -> None:
        with pytest.raises(NoData):
            compare_samples(np.array([np.nan]), np.full(6, 1.0))
