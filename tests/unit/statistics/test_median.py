import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.shared.errors import NoData
from orchestrator.statistics.median import median, median_absolute_deviation, median_interval, summarize

readings = st.lists(st.floats(min_value=-1e12, max_value=1e12), min_size=1, max_size=60)


class TestMedian:
    def test_even_number_of_readings_gives_the_mean_of_the_two_middle_ones(self) -> None:
        assert median([4, 1, 3, 2]) == 2.5

    def test_empty_sample_raises_no_data(self) -> None:
        with pytest.raises(NoData):
            median([])

    def test_one_outlier_does_not_change_the_median(self) -> None:
        assert median_absolute_deviation([10, 11, 12, 13, 1_000_000]) == 1


class TestMedianInterval:
    # Ranks from the table of the binomial distribution (Conover 1999, table A3): n -> k.
    @pytest.mark.parametrize(("n", "k"), [(6, 1), (8, 1), (9, 2), (12, 3), (20, 6), (30, 10), (100, 40)])
    def test_limits_agree_with_the_tabulated_order_statistics(self, n: int, k: int) -> None:
        interval = median_interval(list(range(1, n + 1)))
        assert interval is not None
        assert (interval.low, interval.high) == (k, n + 1 - k)

    @pytest.mark.parametrize("n", [0, 1, 5])
    def test_too_few_readings_have_no_interval(self, n: int) -> None:
        assert median_interval(list(range(n))) is None

    def test_many_readings_agree_with_the_exact_ranks(self) -> None:
        interval = median_interval(list(range(1, 1002)))
        assert interval is not None
        assert interval.low == pytest.approx(470, abs=1)  # exact: 470 and 532
        assert interval.high == pytest.approx(532, abs=1)

    @given(readings)
    def test_interval_contains_the_median(self, values: list[float]) -> None:
        summary = summarize(values)
        assert summary is not None
        assert (summary.interval is None) == (len(values) < 6)
        if summary.interval is not None:
            assert summary.interval.contains(summary.median)
