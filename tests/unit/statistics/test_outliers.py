import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.statistics.outliers import modified_z_scores, outliers

times = st.lists(st.floats(min_value=1.0, max_value=1e12), max_size=60)


class TestModifiedZScores:
    def test_agrees_with_a_worked_example(self) -> None:
        # Iglewicz and Hoaglin's measurements of one length: median 3.14, MAD 0.32, score of 6.00: 0.6745 * 2.86 / 0.32.
        readings = [2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3]
        scores = modified_z_scores(readings)
        assert scores[8] == pytest.approx(0.6745 * (8.2 - 2.45) / 0.15, rel=1e-3)

    def test_zero_median_absolute_deviation_does_not_divide_by_zero(self) -> None:
        assert modified_z_scores([5.0] * 4) == [0.0] * 4
        scores = modified_z_scores([5.0] * 20 + [6.0])
        assert scores[:20] == [0.0] * 20
        assert scores[20] > 3.5

    def test_empty_sample_has_no_scores(self) -> None:
        assert modified_z_scores([]) == []


class TestOutliers:
    def test_disturbed_reading_is_marked_on_either_side(self) -> None:
        assert outliers([100, 101, 99, 102, 98, 300, 30]) == [False] * 5 + [True, True]

    def test_two_readings_have_no_outlier(self) -> None:
        assert outliers([1, 1000]) == [False, False]

    def test_time_of_zero_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"log|domain|positive"):
            outliers([0.0, 1.0, 2.0])

    @given(times)
    def test_fewer_than_half_of_the_readings_are_marked(self, found: list[float]) -> None:
        marks = outliers(found)
        assert len(marks) == len(found)
        assert sum(marks) <= len(found) / 2
