"""Inputs of a plan's matrices: chunks, or messages with the parameters of a latency execution. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from orchestrator.runs.planning.budget import Budget
from orchestrator.runs.planning.implementations import ChosenImplementation
from orchestrator.shared.errors import PlanRefused
from orchestrator.wire.base import NOOP
from orchestrator.wire.messages import (
    Call,
    Fill,
    KeyFill,
    KeySetup,
    Operation,
    OperationName,
    operations_of,
)
from orchestrator.wire.plans import Matrix, Messages, Plan

_MAX_LENGTHS = 8
_INPUT_STEPS = 3
"""Steps of one input in one pass over all of them."""
_PARTS = "inputs"


@dataclass(frozen=True, slots=True)
class ChunkInput:
    """A chunk of the corpus, for the process protocol."""

    kind: str
    length_bytes: int


@dataclass(frozen=True, slots=True)
class MessageInput:
    """A message for the latency protocol, with the parameters of its timings."""

    operation: OperationName
    length_bytes: int
    associated_data_bytes: int
    fill: Fill
    key_fill: KeyFill
    key_setup: KeySetup
    timings: int
    min_timing_ms: float


Input = ChunkInput | MessageInput


@dataclass(frozen=True)
class AcceptedInputs:
    """The inputs of some matrices that an implementation accepts, and reasons for the others."""

    inputs: tuple[Input, ...]
    """Each once."""
    copies: tuple[int, ...]
    """Cases of each input."""
    refused: tuple[tuple[str, int], ...]
    """(Reason, number of cases) of the inputs that it does not accept."""

    @property
    def cases(self) -> int:
        """Number of cases of all inputs."""
        return sum(self.copies)


@dataclass(frozen=True, slots=True)
class _Constraints:
    """Properties of an implementation that decide which inputs it accepts."""

    is_noop: bool
    operations: tuple[Operation, ...]
    sequence: str
    whole_block_bytes: int | None

    @classmethod
    def of(cls, implementation: ChosenImplementation) -> "_Constraints":
        one = implementation
        return cls(one.algorithm == NOOP, one.operations, one.sequence, one.whole_block_bytes)

    def refusal(self, one: Input) -> str | None:
        """Return why the implementation does not accept an input; None where it does."""
        operations = {operation.name: operation for operation in self.operations}
        if isinstance(one, MessageInput):
            return _NO_CIPHER if self.is_noop else self._refusal_of_call(one, operations)
        return None if self.is_noop or self.sequence else _NO_PROCESS

    def _refusal_of_call(self, one: MessageInput, operations: Mapping[str, Operation]) -> str | None:
        call = Call.of(one.operation)
        called = operations.get(call.operation)
        if called is None:
            return f"It has no operation {one.operation}; it has {', '.join(operations)}."
        if call.messages > called.max_messages:
            return f"A call of its {called.name} processes one message, not {call.messages}."
        if one.key_setup == "included" and "key" not in called.inputs:
            return f"Its operation {one.operation} takes no key, so that no call includes a key setup."
        if one.associated_data_bytes and "associated-data" not in called.inputs:
            return _NO_AEAD
        if self.whole_block_bytes and one.length_bytes % self.whole_block_bytes:
            return f"It accepts whole blocks of {self.whole_block_bytes} bytes only; the plan has"
        return None


class PlanInputs:
    """The inputs of a plan, computed once for each set of matrices and constraints."""

    def __init__(
        self,
        plan: Plan,
        max_executions: int | None = None,
        budget: Budget | None = None,
        offered: Iterable[Operation] = (),
    ) -> None:
        """Raise PlanRefused, before any input is created, where the matrices list more than max_executions.

        offered: operations of the agents' implementations.
        """
        self._without_message = _without_message(offered)
        self._budget = budget or Budget()
        self._copies: dict[tuple[int, ...], dict[Input, int]] = {}
        _check_listed(plan, max_executions)
        _check_timeouts(plan)
        self._matrices = plan.matrix
        self._counts: dict[tuple[int, ...], int] = {}
        self._of_matrix: dict[int, tuple[Input, ...]] = {}
        self._accepted: dict[tuple[tuple[int, ...], _Constraints], AcceptedInputs] = {}

    def accepted(self, implementation: ChosenImplementation, matrices: tuple[int, ...]) -> AcceptedInputs:
        """Return the inputs of these matrices, divided by whether the implementation accepts them."""
        constraints = _Constraints.of(implementation)
        key = (matrices, constraints)
        if key not in self._accepted:
            copies = self.copies(matrices)
            self._budget.spend(len(copies) * _INPUT_STEPS, _PARTS)
            self._accepted[key] = _divide(copies, constraints)
        return self._accepted[key]

    def copies(self, matrices: tuple[int, ...]) -> dict[Input, int]:
        """Return each input of these matrices once, with the maximum of the copies that they request."""
        if matrices not in self._copies:
            found: dict[Input, int] = {}
            for index in matrices:
                inputs = self.of_matrix(index)
                self._budget.spend(len(inputs) * _INPUT_STEPS, _PARTS)
                for one in inputs:
                    found[one] = max(found.get(one, 1), self._matrices[index].copies)
            self._copies[matrices] = found
        return self._copies[matrices]

    def count(self, matrices: tuple[int, ...]) -> int:
        """Return the number of cases that an implementation of these matrices has if it accepts every input."""
        if matrices not in self._counts:
            self._counts[matrices] = sum(self.copies(matrices).values())
        return self._counts[matrices]

    def of_matrix(self, index: int) -> tuple[Input, ...]:
        """Return the inputs of one matrix, each once and in its order."""
        if index not in self._of_matrix:
            self._budget.spend(_count_listed(self._matrices[index]) * _INPUT_STEPS, _PARTS)
            self._of_matrix[index] = tuple(dict.fromkeys(_listed(self._matrices[index], self._without_message)))
        return self._of_matrix[index]


def _listed(matrix: Matrix, without_message: Collection[str]) -> Iterator[Input]:
    if matrix.inputs is not None:
        for kind, size in product(dict.fromkeys(matrix.inputs.kinds), dict.fromkeys(matrix.inputs.sizes)):
            yield ChunkInput(kind, size)
    if matrix.messages is not None:
        yield from _messages(matrix.messages, without_message)


def _messages(messages: Messages, without_message: Collection[str]) -> Iterator[MessageInput]:
    times = (messages.timings, messages.min_timing_ms)
    pairs = list(product(dict.fromkeys(messages.lengths), dict.fromkeys(messages.associated_data_lengths)))
    for operation in dict.fromkeys(messages.operations):
        if operation in without_message:
            # Its lengths and fills must not yield several cases.
            yield MessageInput(operation, 0, 0, "zero", messages.key, "apart", *times)
            continue
        for key_setup, (length, associated_data) in product(dict.fromkeys(messages.key_setup), pairs):
            yield MessageInput(operation, length, associated_data, messages.fill, messages.key, key_setup, *times)


def _without_message(offered: Iterable[Operation]) -> set[str]:
    """Return the operations that no implementation declares with a message."""
    known = {*operations_of(None), *offered}
    return {one.name for one in known} - {one.name for one in known if "message" in one.inputs}


def _divide(copies: Mapping[Input, int], constraints: _Constraints) -> AcceptedInputs:
    refused: dict[str, list[Input]] = {}
    accepted = []
    for one in copies:
        reason = constraints.refusal(one)
        if reason is None:
            accepted.append(one)
        else:
            refused.setdefault(reason, []).append(one)
    return AcceptedInputs(
        inputs=tuple(accepted),
        copies=tuple(copies[one] for one in accepted),
        refused=tuple(
            (_with_lengths(reason, inputs), sum(copies[one] for one in inputs)) for reason, inputs in refused.items()
        ),
    )


_NO_PROCESS = "Its runner declares no operations for the process protocol."
_NO_CIPHER = "noop has no cipher calls to time; it supports the process protocol only."
_NO_AEAD = "It is not an AEAD and accepts no associated data; the plan has"
"""Like every reason without a full stop, it is completed by the lengths that it concerns."""


def _with_lengths(reason: str, inputs: Iterable[Input]) -> str:
    """Return the reason, completed by the lengths that it concerns."""
    if reason.endswith("."):
        return reason
    messages = [one for one in inputs if isinstance(one, MessageInput)]
    lengths = [one.associated_data_bytes if reason == _NO_AEAD else one.length_bytes for one in messages]
    return f"{reason} {_shortened(sorted(set(lengths)))} bytes."


def _shortened(lengths: Sequence[int]) -> str:
    shown = ", ".join(str(length) for length in lengths[:_MAX_LENGTHS])
    more = len(lengths) - _MAX_LENGTHS
    return f"{shown}, … ({more} more)" if more > 0 else shown


def _check_listed(plan: Plan, max_executions: int | None) -> None:
    """Count the inputs without creating them, because they could exhaust the memory."""
    listed = sum(_count_listed(matrix) for matrix in plan.matrix)
    if max_executions is not None and listed > max_executions:
        raise PlanRefused(
            f"The matrices list {listed} inputs for each implementation; at most {max_executions} are allowed.",
            remedy="Name fewer lengths, or raise CIPHERMARK_MAX_EXECUTIONS.",
            field="matrix",
            seen=listed,
            allowed=max_executions,
        )


def _count_listed(matrix: Matrix) -> int:
    count = 0
    if matrix.inputs is not None:
        count += len(matrix.inputs.kinds) * len(matrix.inputs.sizes)
    if matrix.messages is not None:
        messages = matrix.messages
        calls = len(messages.operations) * len(messages.key_setup)
        count += calls * len(messages.lengths) * len(messages.associated_data_lengths)
    return count


def _check_timeouts(plan: Plan) -> None:
    for index, matrix in enumerate(plan.matrix):
        messages = matrix.messages
        if messages is None:
            continue
        min_seconds = messages.timings * messages.min_timing_ms / 1000
        if min_seconds >= plan.timeout_seconds:
            raise PlanRefused(
                f"{messages.timings} timings of {messages.min_timing_ms:g} ms take at least {min_seconds:g} s; "
                f"timeout_seconds is {plan.timeout_seconds:g}.",
                remedy="Reduce timings or their duration, or raise timeout_seconds.",
                field=f"matrix[{index}].messages",
            )
