"""Changes between runs, with the variation from run to run as their error."""

import numpy as np
import pytest
from scipy.stats import t as student

from orchestrator.statistics.comparisons.between_runs import (
    MIN_FORMER,
    MIN_VARIATION,
    SAME_DAY,
    compare_runs,
    error_level,
    run_values,
    suspects,
)
from orchestrator.statistics.location import Floats

FORMER = 30


def runs(count: int, cases: int, seed: int, variation: float = 0.005) -> Floats:
    return np.random.default_rng(seed).normal(0, variation, (count, cases))


class TestCompareRuns:
    def test_one_run_has_the_prediction_interval_of_student(self) -> None:
        former, new = runs(FORMER, 3, 1), runs(1, 3, 2)
        found = compare_runs(new, former)
        errors = former.std(axis=0, ddof=1) * np.sqrt(1 + 1 / FORMER)
        differences = new[0] - former.mean(axis=0)
        half = student.ppf(1 - 0.005, FORMER - 1) * errors
        low, high = found.limits(0.01)
        assert found.log_ratios == pytest.approx(differences)
        assert low == pytest.approx(differences - half)
        assert high == pytest.approx(differences + half)

    def test_confirmations_share_a_part_of_their_variance(self) -> None:
        former = runs(FORMER, 2, 1)
        one, two = (compare_runs(runs(count, 2, 2), former) for count in (1, 2))
        share = SAME_DAY + (1 - SAME_DAY) / 2
        assert (two.errors / one.errors) ** 2 == pytest.approx((share + 1 / FORMER) / (1 + 1 / FORMER))

    def test_one_disturbed_run_of_a_look_does_not_count(self) -> None:
        former, new = runs(FORMER, 1, 1), runs(6, 1, 2)
        before = compare_runs(new, former)
        new[new[:, 0].argmax(), 0] = 2.0
        assert compare_runs(new, former).log_ratios == pytest.approx(before.log_ratios)
        assert np.sort(new[:, 0])[1:-1].mean() - former.mean() == pytest.approx(before.log_ratios[0])

    def test_missing_values_of_a_case_leave_the_other_cases_unchanged(self) -> None:
        former, new = runs(10, 3, 1), runs(2, 3, 2)
        whole = compare_runs(new, former)
        former[:7, 1], new[1, 0], new[:, 2] = np.nan, np.nan, np.nan
        found = compare_runs(new, former)
        assert found.freedoms.tolist() == [9, 0, 0]
        assert found.log_ratios[1] == pytest.approx(new[:, 1].mean() - former[7:, 1].mean())
        assert np.isnan(found.log_ratios[2])
        assert np.isnan(found.errors[1:]).all()
        assert not found.differ(0.5)[1:].any()
        assert whole.freedoms.tolist() == [9, 9, 9]

    def test_baseline_gives_the_location_and_both_give_the_variation(self) -> None:
        former, baseline, new = runs(10, 2, 1) + 0.5, runs(4, 2, 3), runs(1, 2, 2)
        found = compare_runs(new, baseline, [former])
        squares = 9 * former.var(axis=0, ddof=1) + 3 * baseline.var(axis=0, ddof=1)
        assert found.freedoms.tolist() == [12, 12]
        assert found.log_ratios == pytest.approx(new[0] - baseline.mean(axis=0))
        assert found.errors == pytest.approx(np.sqrt(squares / 12 * (1 + 1 / 4)))

    def test_single_baseline_run_has_a_ratio_and_no_interval(self) -> None:
        found = compare_runs(runs(1, 2, 2), runs(1, 2, 3), [np.full((0, 2), np.nan)])
        assert np.isfinite(found.log_ratios).all()
        assert not found.differ(0.9).any()

    def test_few_former_runs_report_nothing(self) -> None:
        new = np.full((1, 1), 9.0)
        assert not compare_runs(new, runs(MIN_FORMER - 1, 1, 1)).differ(0.5).any()
        assert compare_runs(new, runs(MIN_FORMER, 1, 1)).differ(0.001).all()

    def test_readings_without_variation_have_an_assumed_one(self) -> None:
        former = np.zeros((FORMER, 2))
        found = compare_runs(np.array([[MIN_VARIATION, 0.01]]), former)
        assert found.differ(error_level(500)).tolist() == [False, True]


class TestErrors:
    def test_detectable_change_is_found_with_its_power(self) -> None:
        # 2 000 cases: a share of 95 % has a standard error of 0.5 %. The variation of each case is estimated, so that
        # the share refers to the average error.
        former, level = runs(FORMER, 2000, 1), error_level(500)
        size = float(np.median(compare_runs(runs(6, 2000, 2), former).detectable(level)))
        shared = np.random.default_rng(4).normal(0, 0.005 * np.sqrt(SAME_DAY), 2000)
        new = runs(6, 2000, 3, 0.005 * np.sqrt(1 - SAME_DAY)) + shared + size
        assert 0.85 <= compare_runs(new, former).differ(level).mean() <= 0.97

    def test_five_of_a_hundred_unchanged_cases_are_suspects(self) -> None:
        found = suspects(compare_runs(runs(1, 5000, 8), runs(FORMER, 5000, 9)))
        assert 0.04 <= found.mean() <= 0.06

    def test_value_of_a_run_ignores_its_disturbed_executions(self) -> None:
        readings = np.exp(np.linspace(-0.01, 0.01, 20))
        disturbed = np.concatenate([readings[:14], np.full(6, 9.0)])
        assert run_values(readings) == pytest.approx(0, abs=1e-9)
        assert abs(run_values(disturbed)) < 0.01

    def test_months_without_change_have_no_alarm_and_a_change_is_found(self) -> None:
        # bench/watch_errors.py simulates more histories, with the executions of each run.
        history, level = runs(120, 500, 10), error_level(500)
        alarms = 0
        for day in range(FORMER, 120):
            confirmed = np.concatenate([history[day : day + 1], runs(5, 500, 1000 + day)])
            alarms += int(compare_runs(confirmed, history[day - FORMER : day]).differ(level).any())
        assert alarms == 0
        slower = runs(6, 500, 11) + np.log(1.03)
        assert compare_runs(slower, history[:FORMER]).differ(level).mean() >= 0.95
