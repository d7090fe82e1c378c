import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.kinds import KINDS, MAX_CHUNK_BYTES, checked_kinds, checked_sizes
from orchestrator.shared.errors import InvalidRequest


class TestCheckedSizes:
    @given(st.lists(st.integers(1, 100)), st.integers(max_value=0) | st.integers(min_value=MAX_CHUNK_BYTES + 1))
    def test_a_size_out_of_bounds_is_named(self, good: list[int], bad: int) -> None:
        with pytest.raises(InvalidRequest, match=f"{bad} bytes") as caught:
            checked_sizes([*good, bad])
        assert caught.value.field == "sizes"

    def test_no_size_is_refused(self) -> None:
        with pytest.raises(InvalidRequest):
            checked_sizes([])


class TestCheckedKinds:
    def test_kinds_come_in_one_order(self) -> None:
        assert checked_kinds(["text", "random", "text"]) == ("random", "text")
        assert checked_kinds(KINDS) == KINDS

    @pytest.mark.parametrize("kinds", [[], ["picture"], ["text", ""]])
    def test_none_or_unknown_is_refused(self, kinds: list[str]) -> None:
        with pytest.raises(InvalidRequest) as caught:
            checked_kinds(kinds)
        assert caught.value.field == "kinds"
