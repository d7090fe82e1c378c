import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special

from orchestrator.statistics.distributions import (
    fisher_tail,
    incomplete_beta,
    normal_two_sided_p,
    student_quantile,
    student_two_sided_p,
)

SHAPES = st.floats(0.5, 1e6)
DEGREES = st.integers(1, 200_000)


class TestAgainstScipy:
    @given(a=SHAPES, b=SHAPES, x=st.floats(0, 1))
    def test_incomplete_beta(self, a: float, b: float, x: float) -> None:
        assert incomplete_beta(a, b, x) == pytest.approx(float(special.betainc(a, b, x)), rel=1e-7, abs=1e-14)

    @given(t=st.floats(0, 100), degrees=DEGREES)
    @example(t=3.2649827765003724e-07, degrees=1024)
    def test_student_p(self, t: float, degrees: int) -> None:
        exact = 2 * float(special.stdtr(degrees, -t))
        assert student_two_sided_p(t, degrees) == pytest.approx(exact, rel=1e-7, abs=1e-200)

    @given(probability=st.floats(0.5, 0.9999), degrees=DEGREES)
    def test_student_quantile(self, probability: float, degrees: int) -> None:
        exact = float(special.stdtrit(degrees, probability))
        assert student_quantile(probability, degrees) == pytest.approx(exact, rel=1e-7, abs=1e-9)

    @given(f=st.floats(0, 1000), numerator=st.integers(1, 1000), denominator=st.integers(1, 100_000))
    def test_fisher_tail(self, f: float, numerator: int, denominator: int) -> None:
        exact = float(special.fdtrc(numerator, denominator, f))
        assert fisher_tail(f, numerator, denominator) == pytest.approx(exact, rel=1e-7, abs=1e-14)

    @given(z=st.floats(-37, 37))
    def test_normal_p(self, z: float) -> None:
        assert normal_two_sided_p(z) == pytest.approx(2 * float(special.ndtr(-abs(z))), rel=1e-9)


class TestStudentQuantile:
    # Exact values: Abramowitz and Stegun, table 26.10.
    @pytest.mark.parametrize(
        ("degrees", "exact"), [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)]
    )
    def test_quantile_agrees_with_the_printed_table(self, degrees: int, exact: float) -> None:
        assert student_quantile(0.975, degrees) == pytest.approx(exact, abs=0.0005)
