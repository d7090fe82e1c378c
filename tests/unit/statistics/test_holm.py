import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.statistics.holm import holm

p_values = st.lists(st.floats(min_value=0, max_value=1), max_size=30)


class TestHolm:
    def test_agrees_with_a_worked_example(self) -> None:
        # R: p.adjust(c(0.01, 0.02, 0.03, 0.005), "holm") gives 0.03 0.04 0.04 0.02.
        assert holm([0.01, 0.02, 0.03, 0.005]) == pytest.approx([0.03, 0.04, 0.04, 0.02])

    def test_single_p_is_unchanged_and_none_exceeds_1(self) -> None:
        assert holm([0.04]) == [0.04]
        assert holm([0.9, 0.8]) == [1.0, 1.0]
        assert holm([]) == []

    def test_values_outside_0_to_1_are_refused(self) -> None:
        with pytest.raises(ValueError, match="between 0 and 1"):
            holm([0.5, 1.5])

    def test_comparisons_that_were_not_made_count(self) -> None:
        assert holm([0.01, 0.02], family=5) == pytest.approx([0.05, 0.08])
        with pytest.raises(ValueError, match="cannot contain"):
            holm([0.01, 0.02], family=1)

    @given(p_values, p_values)
    def test_value_of_a_part_is_at_least_that_of_the_whole_family(self, found: list[float], left: list[float]) -> None:
        whole = holm([*found, *left])[: len(found)]
        part = holm(found, family=len(found) + len(left))
        assert all(one >= other - 1e-12 for one, other in zip(part, whole, strict=True))

    @given(p_values)
    def test_order_is_kept_and_no_p_decreases(self, found: list[float]) -> None:
        adjusted = holm(found)
        assert all(after >= before for before, after in zip(found, adjusted, strict=True))
        assert sorted(adjusted) == [p for _, p in sorted(zip(found, adjusted, strict=True))]
