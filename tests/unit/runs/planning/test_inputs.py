"""Inputs of an implementation: every length once, and a reason with the lengths that it does not accept."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestrator.runs.planning.implementations import ChosenImplementation
from orchestrator.runs.planning.inputs import AcceptedInputs, MessageInput, PlanInputs
from orchestrator.shared.errors import PlanRefused
from orchestrator.wire.messages import Operation, operations_of
from tests.support.plans import latency, matrix, plan

AEAD = ChosenImplementation("own", "ascon-aead128", "opt64", operations=operations_of("aead"))
STREAM = ChosenImplementation("own", "chacha20-256", "ref")
DIGEST = Operation(name="digest", inputs=("message",), check="digest")
HASH = ChosenImplementation("hashlib", "sha-256", "openssl", operations=(DIGEST,))
BLOCKS = ChosenImplementation("own", "aes-256-ecb", "ref", whole_block_bytes=16)

LENGTHS = st.lists(st.integers(0, 100), min_size=1, max_size=6)
OPERATIONS = st.lists(st.sampled_from(["encrypt", "decrypt", "key-setup"]), min_size=1, max_size=3)
KEY_SETUPS = st.lists(st.sampled_from(["apart", "included"]), min_size=1, max_size=2)


def of(
    implementation: ChosenImplementation, lengths: list[int], *others: dict[str, Any], **given: Any
) -> AcceptedInputs:
    document = plan(latency(["own"], ["*"], lengths, **given), *others)
    return PlanInputs(document).accepted(implementation, tuple(range(1 + len(others))))


def messages(given: AcceptedInputs) -> list[MessageInput]:
    return [one for one in given.inputs if isinstance(one, MessageInput)]


class TestMessages:
    @given(lengths=LENGTHS, associated=LENGTHS, operations=OPERATIONS, key_setups=KEY_SETUPS)
    def test_aead_accepts_every_combination_once(
        self, lengths: list[int], associated: list[int], operations: list[str], key_setups: list[str]
    ) -> None:
        found = of(AEAD, lengths, associated_data_lengths=associated, operations=operations, key_setup=key_setups)
        seen = [(one.operation, one.key_setup, one.length_bytes, one.associated_data_bytes) for one in messages(found)]
        expected = {
            (operation, *rest)
            for operation in set(operations) - {"key-setup"}
            for rest in product(set(key_setups), set(lengths), set(associated))
        } | ({("key-setup", "apart", 0, 0)} & {(operation, "apart", 0, 0) for operation in operations})
        assert (set(seen), len(seen), found.refused) == (expected, len(expected), ())

    def test_operation_that_the_runner_does_not_declare_is_refused(self) -> None:
        found = of(HASH, [16], operations=["digest", "encrypt", "key-setup"], key_setup=["apart", "included"])
        assert [(one.operation, one.key_setup) for one in messages(found)] == [("digest", "apart")]
        assert dict(found.refused) == {
            "Its operation digest takes no key, so that no call includes a key setup.": 1,
            "It has no operation encrypt; it has digest.": 2,
            "It has no operation key-setup; it has digest.": 1,
        }

    def test_batch_is_a_case_of_implementations_that_take_several_messages_in_a_call(self) -> None:
        batches = ["encrypt-8", "decrypt-1024-keys"]
        many = ChosenImplementation("own", "xoodyak", "sse2", operations=operations_of("aead", batches=True))
        found = of(many, [16], operations=["encrypt", *batches])
        assert [one.operation for one in messages(found)] == ["encrypt", *batches]
        refused = of(AEAD, [16], operations=["encrypt", *batches])
        assert [one.operation for one in messages(refused)] == ["encrypt"]
        assert dict(refused.refused) == {
            "A call of its encrypt processes one message, not 8.": 1,
            "A call of its decrypt processes one message, not 1024.": 1,
        }

    @pytest.mark.parametrize("batch", ["encrypt-0", "encrypt-1", "decrypt-1025-keys"])
    def test_batch_of_no_one_or_too_many_messages_is_refused(self, batch: str) -> None:
        with pytest.raises(ValidationError, match="messages; expected 2 to 1024"):
            plan(latency(["own"], ["*"], [16], operations=[batch]))

    def test_declared_operation_without_a_message_is_one_case(self) -> None:
        keygen = Operation(name="keygen", inputs=(), check="verification")
        maker = ChosenImplementation("keys", "x25519", "ref", operations=(keygen,))
        document = plan(latency(["keys"], ["*"], [16, 32], operations=["keygen"]))
        found = PlanInputs(document, offered=[keygen]).accepted(maker, (0,))
        assert [(one.operation, one.length_bytes) for one in messages(found)] == [("keygen", 0)]

    @given(lengths=LENGTHS, associated=LENGTHS, implementation=st.sampled_from([AEAD, STREAM, BLOCKS]))
    def test_accepted_and_refused_inputs_are_all_inputs(
        self, lengths: list[int], associated: list[int], implementation: ChosenImplementation
    ) -> None:
        found = of(implementation, lengths, associated_data_lengths=associated)
        refused = sum(count for _, count in found.refused)
        assert len(found.inputs) + refused == 2 * len(set(lengths)) * len(set(associated))
        if implementation is not AEAD:
            assert all(one.associated_data_bytes == 0 for one in messages(found))
        if implementation is BLOCKS:
            assert all(one.length_bytes % 16 == 0 for one in messages(found))

    def test_reasons_name_the_lengths(self) -> None:
        found = of(BLOCKS, [16, 33, 17], associated_data_lengths=[0, 8])
        assert found.refused == (
            ("It is not an AEAD and accepts no associated data; the plan has 8 bytes.", 6),
            ("It accepts whole blocks of 16 bytes only; the plan has 17, 33 bytes.", 4),
        )

    def test_reason_lists_only_the_first_lengths(self) -> None:
        ((reason, count),) = of(BLOCKS, list(range(1, 16))).refused
        assert reason.endswith("the plan has 1, 2, 3, 4, 5, 6, 7, 8, … (7 more) bytes.")
        assert count == 30

    def test_overlapping_matrices_count_once_unless_timings_differ(self) -> None:
        same = latency(["own"], ["*"], [16, 32])
        longer = latency(["own"], ["*"], [16], min_timing_ms=20)
        assert len(of(STREAM, [16], same, longer).inputs) == 2 * 2 + 2


class TestRefusals:
    def test_too_many_inputs_are_refused_before_they_are_created(self) -> None:
        large = latency(["own"], ["*"], list(range(1000)), associated_data_lengths=list(range(100)))
        with pytest.raises(
            PlanRefused, match="list 20000000 inputs for each implementation; at most 1000000 are allowed"
        ):
            PlanInputs(plan(*[large] * 100), 1_000_000)

    def test_timings_longer_than_the_timeout_are_refused(self) -> None:
        messages_block = latency(["own"], ["*"], [16], timings=1000, min_timing_ms=60)
        with pytest.raises(
            PlanRefused, match=r"1000 timings of 60 ms take at least 60 s; timeout_seconds is 60"
        ) as refusal:
            PlanInputs(plan(matrix(["own"], ["*"]), messages_block))
        assert refusal.value.field == "matrix[1].messages"
