from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.shared.values.ranks import groups_label, letters_of, ranked_label
from orchestrator.statistics.rankings.groups import groups_of


def linked(count: int, pairs: set[tuple[int, int]]) -> np.ndarray:
    found = np.eye(count, dtype=bool)
    for one, other in pairs:
        found[one, other] = found[other, one] = True
    return found


class TestGroupsOf:
    @given(st.integers(1, 9).flatmap(lambda n: st.tuples(
        st.just(n), st.sets(st.sampled_from(list(combinations(range(n), 2)) or [(0, 0)])))))  # fmt: skip
    def test_two_have_a_letter_in_common_exactly_if_they_are_alike(self, drawn: tuple[int, set]) -> None:
        count, pairs = drawn
        letters = groups_of(linked(count, pairs))
        for pair in combinations(range(count), 2):
            assert (pair in pairs) == (not set(letters[pair[0]]).isdisjoint(letters[pair[1]]))

    def test_neighbors_form_one_group_each(self) -> None:
        pairs = {(one, other) for one, other in combinations(range(300), 2) if other - one < 10}
        letters = groups_of(linked(300, pairs))
        assert letters[0] == ("a",)
        assert letters[299][-1] == letters_of(290)
        assert max(map(len, letters)) == 10

    def test_single_candidate_has_no_letter(self) -> None:
        assert groups_of(linked(2, set())) == [(), ()]


class TestLabels:
    def test_letters_continue_after_z(self) -> None:
        assert [letters_of(number) for number in (0, 25, 26, 27, 701, 702)] == ["a", "z", "aa", "ab", "zz", "aaa"]

    def test_consecutive_letters_are_a_range(self) -> None:
        assert groups_label(["a", "c", "d", "e"]) == "a c–e"
        assert groups_label(["y", "z", "aa"]) == "y–aa"
        assert groups_label(["c", "d"]) == "c d"

    def test_ranks_letters_and_doubt_are_one_cell(self) -> None:
        assert ranked_label(2, 4, ["b", "c"], True) == "2–4 b c?"
        assert ranked_label(2, 2, [], False) == "2"
        assert ranked_label(None, None, []) is None
