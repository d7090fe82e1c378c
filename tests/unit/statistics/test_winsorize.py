import numpy as np

from orchestrator.statistics.winsorize import winsorized


class TestWinsorized:
    def test_disturbed_reading_is_replaced_by_the_median(self) -> None:
        logs = np.random.default_rng(1).normal([0.0, 5.0], 0.01, (20, 2))
        disturbed = logs.copy()
        disturbed[3, 1] += 2.0
        steady = winsorized(disturbed)
        assert abs(steady[3, 1] - 5.0) < 0.01
        assert np.allclose(steady[:, 0], logs[:, 0])
        assert np.abs(steady[:, 1] - logs[:, 1])[np.arange(20) != 3].max() < 0.01

    def test_undisturbed_readings_are_unchanged(self) -> None:
        logs = np.random.default_rng(2).normal(0.0, 0.01, (20, 3))
        assert np.allclose(winsorized(logs), logs)

    def test_single_input_is_unchanged(self) -> None:
        logs = np.array([[0.0], [0.01], [-0.01], [5.0]])
        assert (winsorized(logs) == logs).all()

    def test_missing_results_remain_missing(self) -> None:
        logs = np.random.default_rng(3).normal(0.0, 0.01, (10, 3))
        logs[4, 1] = np.nan
        logs[5, 2] = 3.0
        steady = winsorized(logs)
        assert np.isnan(steady).sum() == 1
        assert np.isnan(steady[4, 1])
        assert abs(steady[5, 2]) < 0.02

    def test_equal_readings_are_unchanged(self) -> None:
        assert (winsorized(np.full((8, 3), 0.5)) == 0.5).all()
