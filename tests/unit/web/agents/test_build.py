from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.builds.schemas import FootprintSummary, ProofSummary
from orchestrator.results.cases.repository import Sorting
from orchestrator.shared.errors import InvalidRequest
from orchestrator.web.agents.build import FOOTPRINT_COLUMNS, default_variants, sort_footprints
from tests.support.models import built

sizes = st.none() | st.integers(0, 2**40)


def row(code_bytes: int | None, used_bytes: int | None = None) -> Any:
    stack = None if used_bytes is None else {"encrypt": used_bytes}
    return built(FootprintSummary, code_bytes=code_bytes, stack_bytes=stack)


class TestSortFootprints:
    @given(st.lists(st.builds(row, sizes, sizes)), st.sampled_from(sorted(FOOTPRINT_COLUMNS)), st.booleans())
    def test_nothing_is_lost_and_the_unknown_come_last(
        self, rows: list[FootprintSummary], key: str, descending: bool
    ) -> None:
        found = sort_footprints(rows, Sorting(key, descending))
        assert sorted(map(id, found)) == sorted(map(id, rows))
        known = [FOOTPRINT_COLUMNS[key](one) is not None for one in found]
        assert known == sorted(known, reverse=True)

    def test_0_bytes_are_a_size(self) -> None:
        assert [one.code_bytes for one in sort_footprints([row(None), row(5), row(0)], Sorting("code", False))] == [
            0,
            5,
            None,
        ]


class TestSortingOf:
    def test_unknown_column_is_refused_with_those_there_are(self) -> None:
        with pytest.raises(InvalidRequest, match="'colour'") as refused:
            Sorting.parse("colour", FOOTPRINT_COLUMNS)
        assert refused.value.remedy
        assert "code" in refused.value.remedy


def test_defaults_that_change_with_the_length_come_first() -> None:
    def proof(algorithm: str, variant: str, *lengths: int) -> ProofSummary:
        return ProofSummary.model_construct(provider="own", algorithm=algorithm, variant=variant, fastest_at=[*lengths])

    proofs = [
        proof("aes", "vaes", 16, 64), proof("speck", "avx2", 64), proof("speck", "words", 16), proof("aes", "ref"),
    ]  # fmt: skip
    found = [
        (one.algorithm, {length: default.variant for length, default in by_length.items()})
        for one, by_length in default_variants(proofs)
    ]
    assert found == [("speck", {16: "words", 64: "avx2"}), ("aes", {16: "vaes", 64: "vaes"})]
