"""What a matrix gives its implementations to work on: chunks, or messages with all that decides a timing. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from orchestrator.errors import PlanRefused
from orchestrator.runs.planning.implementations import Implementation
from orchestrator.wire.base import NOOP
from orchestrator.wire.messages import Fill, KeyFill, KeySetup, LatencyOperation
from orchestrator.wire.plans import Matrix, Messages, Plan

_LENGTHS_NAMED = 8


@dataclass(frozen=True, slots=True)
class ChunkInput:
    """A chunk of the corpus, through a fresh process."""

    kind: str
    length_bytes: int


@dataclass(frozen=True, slots=True)
class MessageInput:
    """Calls timed inside one process."""

    operation: LatencyOperation
    length_bytes: int
    associated_data_bytes: int
    fill: Fill
    key_fill: KeyFill
    key_setup: KeySetup
    timings: int
    min_timing_ms: float


Input = ChunkInput | MessageInput


@dataclass(frozen=True)
class Given:
    """What an implementation gets of some matrices together."""

    inputs: tuple[Input, ...]
    """Each once."""
    copies: tuple[int, ...]
    """How many cases each of them makes."""
    refused: tuple[tuple[str, int], ...]
    """Why it does not take the others, and how many cases those would be."""

    @property
    def cases(self) -> int:
        """How many cases all of them make."""
        return sum(self.copies)


@dataclass(frozen=True, slots=True)
class _Takes:
    """What decides which inputs an implementation takes."""

    is_noop: bool
    is_aead: bool
    whole_block_bytes: int | None


class Inputs:
    """The inputs of a plan, made once for each set of matrices and each kind of implementation."""

    def __init__(self, plan: Plan, max_executions: int | None = None) -> None:
        """Raise PlanRefused, before any input is made, where the matrices write down more than max_executions."""
        _check_written(plan, max_executions)
        _check_timeouts(plan)
        self._matrices = plan.matrix
        self._of_matrix: dict[int, tuple[Input, ...]] = {}
        self._given: dict[tuple[tuple[int, ...], _Takes], Given] = {}

    def given(self, implementation: Implementation, matrices: tuple[int, ...]) -> Given:
        """Return what these matrices together give an implementation."""
        is_noop = implementation.algorithm == NOOP
        takes = _Takes(is_noop, implementation.is_aead, implementation.whole_block_bytes)
        key = (matrices, takes)
        if key not in self._given:
            self._given[key] = _sort_out(self.copies(matrices), takes)
        return self._given[key]

    def copies(self, matrices: tuple[int, ...]) -> dict[Input, int]:
        """Return each input of these matrices once, with how often it is wanted: the most that one of them asks for."""
        found: dict[Input, int] = {}
        for index in matrices:
            for one in self.of_matrix(index):
                found[one] = max(found.get(one, 1), self._matrices[index].copies)
        return found

    def of_matrix(self, index: int) -> tuple[Input, ...]:
        """Return everything that one matrix names, each once and in its order."""
        if index not in self._of_matrix:
            self._of_matrix[index] = tuple(dict.fromkeys(_written(self._matrices[index])))
        return self._of_matrix[index]


def _written(matrix: Matrix) -> Iterator[Input]:
    if matrix.inputs is not None:
        for kind, size in product(dict.fromkeys(matrix.inputs.kinds), dict.fromkeys(matrix.inputs.sizes)):
            yield ChunkInput(kind, size)
    if matrix.messages is not None:
        yield from _messages(matrix.messages)


def _messages(asked: Messages) -> Iterator[MessageInput]:
    times = (asked.timings, asked.min_timing_ms)
    pairs = list(product(dict.fromkeys(asked.lengths), dict.fromkeys(asked.associated_data_lengths)))
    for operation in dict.fromkeys(asked.operations):
        if operation == "key-setup":
            # There is no message, so what it would have been made of must not make two cases of one.
            yield MessageInput(operation, 0, 0, "zero", asked.key, "apart", *times)
            continue
        for key_setup, (length, associated_data) in product(dict.fromkeys(asked.key_setup), pairs):
            yield MessageInput(operation, length, associated_data, asked.fill, asked.key, key_setup, *times)


def _sort_out(every: Mapping[Input, int], takes: _Takes) -> Given:
    reasons: dict[str, list[Input]] = {}
    taken = []
    for one in every:
        reason = _refusal(one, takes)
        if reason is None:
            taken.append(one)
        else:
            reasons.setdefault(reason, []).append(one)
    refused = ((_with_lengths(reason, left), sum(every[one] for one in left)) for reason, left in reasons.items())
    return Given(tuple(taken), tuple(every[one] for one in taken), tuple(refused))


_NO_CIPHER = "noop is a process without a cipher: only the protocol process has something to time."
_NO_AEAD = "It is no AEAD and takes no associated data; the plan has"


def _refusal(one: Input, takes: _Takes) -> str | None:
    if isinstance(one, ChunkInput):
        return None
    if takes.is_noop:
        return _NO_CIPHER
    if one.associated_data_bytes and not takes.is_aead:
        return _NO_AEAD
    if takes.whole_block_bytes and one.length_bytes % takes.whole_block_bytes:
        return f"It takes whole blocks of {takes.whole_block_bytes} bytes only; the plan has"
    return None


def _with_lengths(reason: str, left: Iterable[Input]) -> str:
    """Return the reason with the lengths it is about."""
    if reason == _NO_CIPHER:
        return reason
    messages = [one for one in left if isinstance(one, MessageInput)]
    lengths = [one.associated_data_bytes if reason == _NO_AEAD else one.length_bytes for one in messages]
    return f"{reason} {_named(sorted(set(lengths)))} bytes."


def _named(lengths: Sequence[int]) -> str:
    shown = ", ".join(str(length) for length in lengths[:_LENGTHS_NAMED])
    more = len(lengths) - _LENGTHS_NAMED
    return f"{shown}, … ({more} more)" if more > 0 else shown


def _check_written(plan: Plan, max_executions: int | None) -> None:
    """Refuse by arithmetic what would fill the memory as inputs."""
    written = sum(_count_written(matrix) for matrix in plan.matrix)
    if max_executions is not None and written > max_executions:
        raise PlanRefused(
            f"The matrices write down {written} inputs for each implementation, allowed are {max_executions}.",
            remedy="Name fewer lengths, or raise CIPHERMARK_MAX_EXECUTIONS.",
            field="matrix",
            seen=written,
            allowed=max_executions,
        )


def _count_written(matrix: Matrix) -> int:
    count = 0
    if matrix.inputs is not None:
        count += len(matrix.inputs.kinds) * len(matrix.inputs.sizes)
    if matrix.messages is not None:
        asked = matrix.messages
        calls = len(asked.operations) * len(asked.key_setup)
        count += calls * len(asked.lengths) * len(asked.associated_data_lengths)
    return count


def _check_timeouts(plan: Plan) -> None:
    for index, matrix in enumerate(plan.matrix):
        asked = matrix.messages
        if asked is None:
            continue
        min_seconds = asked.timings * asked.min_timing_ms / 1000
        if min_seconds >= plan.timeout_seconds:
            raise PlanRefused(
                f"{asked.timings} timings of {asked.min_timing_ms:g} ms last {min_seconds:g} s at least, but an "
                f"execution is ended after {plan.timeout_seconds:g} s.",
                remedy="Take fewer or shorter timings, or raise timeout_seconds.",
                field=f"matrix[{index}].messages",
            )
