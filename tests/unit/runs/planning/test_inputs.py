"""What a matrix gives an implementation: every length once, and a reason with the numbers for what it does not take."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import PlanRefused
from orchestrator.runs.planning.implementations import Implementation
from orchestrator.runs.planning.inputs import AcceptedInputs, Inputs, MessageInput
from orchestrator.wire.base import NOOP
from tests.support.plans import latency, matrix, plan

AEAD = Implementation("own", "ascon-aead128", "opt64", is_aead=True)
STREAM = Implementation("own", "chacha20-256", "ref")
BLOCKS = Implementation("own", "aes-256-ecb", "ref", whole_block_bytes=16)

LENGTHS = st.lists(st.integers(0, 100), min_size=1, max_size=6)
OPERATIONS = st.lists(st.sampled_from(["encrypt", "decrypt", "key-setup"]), min_size=1, max_size=3)
KEY_SETUPS = st.lists(st.sampled_from(["apart", "included"]), min_size=1, max_size=2)


def of(implementation: Implementation, lengths: list[int], *others: dict[str, Any], **given: Any) -> AcceptedInputs:
    document = plan(latency(["own"], ["*"], lengths, **given), *others)
    return Inputs(document).accepted(implementation, tuple(range(1 + len(others))))


def messages(given: AcceptedInputs) -> list[MessageInput]:
    return [one for one in given.inputs if isinstance(one, MessageInput)]


class TestMessages:
    @given(lengths=LENGTHS, associated=LENGTHS, operations=OPERATIONS, key_setups=KEY_SETUPS)
    def test_an_aead_takes_every_combination_once(
        self, lengths: list[int], associated: list[int], operations: list[str], key_setups: list[str]
    ) -> None:
        asked = of(AEAD, lengths, associated_data_lengths=associated, operations=operations, key_setup=key_setups)
        seen = [(one.operation, one.key_setup, one.length_bytes, one.associated_data_bytes) for one in messages(asked)]
        expected = {
            (operation, *rest)
            for operation in set(operations) - {"key-setup"}
            for rest in product(set(key_setups), set(lengths), set(associated))
        } | ({("key-setup", "apart", 0, 0)} & {(operation, "apart", 0, 0) for operation in operations})
        assert (set(seen), len(seen), asked.refused) == (expected, len(expected), ())

    @given(lengths=LENGTHS, associated=LENGTHS, implementation=st.sampled_from([AEAD, STREAM, BLOCKS]))
    def test_taken_and_refused_together_are_what_was_asked_for(
        self, lengths: list[int], associated: list[int], implementation: Implementation
    ) -> None:
        asked = of(implementation, lengths, associated_data_lengths=associated)
        refused = sum(count for _, count in asked.refused)
        assert len(asked.inputs) + refused == 2 * len(set(lengths)) * len(set(associated))
        if implementation is not AEAD:
            assert all(one.associated_data_bytes == 0 for one in messages(asked))
        if implementation is BLOCKS:
            assert all(one.length_bytes % 16 == 0 for one in messages(asked))

    def test_reasons_name_the_lengths(self) -> None:
        asked = of(BLOCKS, [16, 33, 17], associated_data_lengths=[0, 8])
        assert asked.refused == (
            ("It is not an AEAD and accepts no associated data; the plan has 8 bytes.", 6),
            ("It accepts whole blocks of 16 bytes only; the plan has 17, 33 bytes.", 4),
        )

    def test_many_lengths_are_not_all_named(self) -> None:
        ((reason, count),) = of(BLOCKS, list(range(1, 16))).refused
        assert reason.endswith("the plan has 1, 2, 3, 4, 5, 6, 7, 8, … (7 more) bytes.")
        assert count == 30

    def test_matrices_that_overlap_count_once_and_other_timings_are_other_cases(self) -> None:
        same = latency(["own"], ["*"], [16, 32])
        longer = latency(["own"], ["*"], [16], min_timing_ms=20)
        assert len(of(STREAM, [16], same, longer).inputs) == 2 * 2 + 2

    def test_a_key_setup_has_no_message_whatever_others_are_made_of(self) -> None:
        other = latency(["own"], ["*"], [64], operations=["key-setup"], fill="random")
        (one,) = messages(of(STREAM, [16, 32], other, operations=["key-setup"], fill="counter"))
        assert (one.operation, one.length_bytes, one.key_setup) == ("key-setup", 0, "apart")

    def test_noop_has_nothing_to_time(self) -> None:
        asked = of(Implementation("own", NOOP, "none"), [16])
        assert (asked.inputs, [count for _, count in asked.refused]) == ((), [2])


class TestRefusals:
    def test_what_would_fill_the_memory_is_refused_by_arithmetic(self) -> None:
        large = latency(["own"], ["*"], list(range(1000)), associated_data_lengths=list(range(100)))
        with pytest.raises(
            PlanRefused, match="list 20000000 inputs for each implementation; at most 1000000 are allowed"
        ):
            Inputs(plan(*[large] * 100), 1_000_000)

    def test_timings_that_outlast_the_timeout(self) -> None:
        wanted = latency(["own"], ["*"], [16], timings=1000, min_timing_ms=60)
        with pytest.raises(
            PlanRefused, match=r"1000 timings of 60 ms take at least 60 s; timeout_seconds is 60"
        ) as refusal:
            Inputs(plan(matrix(["own"], ["*"]), wanted))
        assert refusal.value.field == "matrix[1].messages"
