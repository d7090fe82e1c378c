import numpy as np

from orchestrator.statistics.winsorize import steadied


class TestSteadied:
    def test_a_disturbed_reading_says_what_is_usual(self) -> None:
        logs = np.random.default_rng(1).normal([0.0, 5.0], 0.01, (20, 2))
        disturbed = logs.copy()
        disturbed[3, 1] += 2.0
        steady = steadied(disturbed)
        assert abs(steady[3, 1] - 5.0) < 0.01
        assert np.allclose(steady[:, 0], logs[:, 0])
        assert np.abs(steady[:, 1] - logs[:, 1])[np.arange(20) != 3].max() < 0.01

    def test_calm_readings_stay_as_they_are(self) -> None:
        logs = np.random.default_rng(2).normal(0.0, 0.01, (20, 3))
        assert np.allclose(steadied(logs), logs)

    def test_one_input_stays_as_it_is(self) -> None:
        logs = np.array([[0.0], [0.01], [-0.01], [5.0]])
        assert (steadied(logs) == logs).all()

    def test_what_is_missing_stays_missing(self) -> None:
        logs = np.random.default_rng(3).normal(0.0, 0.01, (10, 3))
        logs[4, 1] = np.nan
        logs[5, 2] = 3.0
        steady = steadied(logs)
        assert np.isnan(steady).sum() == 1
        assert np.isnan(steady[4, 1])
        assert abs(steady[5, 2]) < 0.02

    def test_readings_that_are_all_the_same_stay_so(self) -> None:
        assert (steadied(np.full((8, 3), 0.5)) == 0.5).all()
