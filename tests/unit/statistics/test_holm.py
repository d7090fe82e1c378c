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

    @given(p_values)
    def test_order_is_kept_and_no_p_decreases(self, found: list[float]) -> None:
        adjusted = holm(found)
        assert all(after >= before for before, after in zip(found, adjusted, strict=True))
        assert sorted(adjusted) == [p for _, p in sorted(zip(found, adjusted, strict=True))]
