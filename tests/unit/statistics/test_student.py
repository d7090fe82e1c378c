import pytest

from orchestrator.statistics.student import student_quantile


class TestStudentQuantile:
    # Exact values: Abramowitz and Stegun, table 26.10.
    @pytest.mark.parametrize(("degrees", "exact"), [(5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)])
    def test_quantile_agrees_with_the_printed_table(self, degrees: int, exact: float) -> None:
        assert student_quantile(0.975, degrees) == pytest.approx(exact, rel=0.002)
