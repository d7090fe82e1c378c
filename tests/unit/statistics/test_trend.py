import numpy as np
import pytest
from scipy import stats

from orchestrator.shared.errors import NoData
from orchestrator.statistics.trend import residuals, trend

HOURS = np.linspace(0.0, 2.0, 200)
NOISE = np.random.default_rng(1).normal(0, 0.02, 200)


class TestTrend:
    def test_slowdown_is_found_despite_disturbances(self) -> None:
        readings = NOISE + 0.05 * HOURS
        readings[::30] += 1.5
        found = trend(readings, HOURS)
        assert found.per_hour == pytest.approx(np.expm1(0.05), rel=0.1)
        assert found.interval is not None
        assert found.interval.low > 0
        assert found.p < 1e-6
        assert found.change == pytest.approx(np.expm1(0.1), rel=0.1)

    def test_slope_and_p_agree_with_scipy(self) -> None:
        readings = NOISE + 0.01 * HOURS
        found = trend(readings, HOURS)
        theirs = stats.theilslopes(readings, HOURS, 0.95)
        assert found.per_hour == pytest.approx(np.expm1(theirs.slope))
        assert found.interval is not None
        assert (found.interval.low, found.interval.high) == pytest.approx(
            (np.expm1(theirs.low_slope), np.expm1(theirs.high_slope)), rel=0.01
        )
        assert found.p == pytest.approx(stats.kendalltau(HOURS, readings, method="asymptotic").pvalue, rel=0.05)

    @pytest.mark.parametrize("direction", [-1, 1])
    def test_run_of_a_second_has_a_trend(self, direction: int) -> None:
        # Extrapolated to an hour, 3 % in a second are a change of -1 or one beyond any float, which once failed.
        found = trend(NOISE / 100 + direction * 0.3 * HOURS / 2, HOURS / 7200)
        assert found.change == pytest.approx(np.expm1(direction * 0.3), rel=0.1)
        assert found.per_hour in (-1.0, np.inf)

    def test_noise_alone_rarely_has_a_trend(self) -> None:
        generator = np.random.default_rng(2)
        found = [trend(generator.normal(0, 0.02, 40), np.linspace(0, 1, 40)).p <= 0.05 for _ in range(400)]
        assert sum(found) <= 32  # 20 expected, more than 32 in less than one of 200

    def test_readings_may_be_in_any_order(self) -> None:
        mixed = np.random.default_rng(3).permutation(200)
        assert trend((NOISE + HOURS)[mixed], HOURS[mixed]) == trend(NOISE + HOURS, HOURS)

    def test_many_readings_are_grouped(self) -> None:
        hours = np.linspace(0, 10, 100_000)
        found = trend(np.random.default_rng(4).normal(0, 0.02, 100_000) + 0.001 * hours, hours)
        assert found.readings == 100_000
        assert found.per_hour == pytest.approx(0.001, rel=0.2)

    def test_few_readings_or_one_time_raise_no_data(self) -> None:
        with pytest.raises(NoData, match="9 readings"):
            trend(NOISE[:9], HOURS[:9])
        with pytest.raises(NoData):
            trend(NOISE, np.ones(200))


class TestResiduals:
    def test_residuals_are_relative_to_the_median_of_the_case(self) -> None:
        assert residuals(np.array([100.0, 200.0, np.nan, 50.0])) == pytest.approx(
            [0.0, np.log(2), np.nan, -np.log(2)], nan_ok=True
        )
