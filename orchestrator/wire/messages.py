"""Parameters of cases that plans, jobs and runner reports share: operations, timed messages, masked variants."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from orchestrator.shared.units import GIB
from orchestrator.wire.base import NOOP, Report

Fill = Literal["zero", "counter", "random"]
"""Contents of message and associated data: zeros; 00 01 02 …; always the same random sequence."""

KeyFill = Literal["zero", "counter"]
"""Contents of key and nonce."""

KeySetup = Literal["apart", "included"]
"""apart: a call processes the message only; included: each call sets the key first."""

Keys = Literal["one", "each"]
"""Whether the messages of a call have one key together or each its own."""

TimedBytes = Annotated[int, Field(ge=0, le=GIB)]
"""Length of the message or associated data of timed calls, bytes."""

MIN_SHARES, MAX_SHARES = 2, 6
Shares = Annotated[int, Field(ge=MIN_SHARES, le=MAX_SHARES)]
Degree = Literal["full", "init-final", "init"]
"""full: the whole cipher is masked; init-final: initialization and finalization, which use the key; init:
initialization only."""
GeneratorName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=16)]
MAX_GENERATORS = 16
"""Generators that one runner may list."""

OperationName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=20)]
OperationInput = Literal["message", "associated-data", "nonce", "key"]
OutputCheck = Literal["digest", "inverse", "verification"]
"""digest: equal inputs have equal outputs, whichever implementation computes them; inverse: the runner computes the
input again; verification: the runner verifies the output, which another call may make differently."""


KEY_SETUP = "key-setup"
"""Operation that makes ready a key for the others of an implementation."""


class Operation(Report):
    """An operation of an implementation, as it can be timed."""

    name: OperationName
    inputs: tuple[OperationInput, ...] = Field(strict=False)  # a list in JSON; a tuple has a hash
    check: OutputCheck
    output_bytes: int | None = Field(default=None, ge=1, le=GIB)
    """Length of every output; null: it follows the lengths of the inputs."""
    max_messages: int = Field(default=1, ge=1)
    """Messages that one call can process, each with its own nonce."""


MAX_BATCH = 1024
"""Most messages that a call of a native runner processes."""


def _of_cipher(max_messages: int, *more_inputs: OperationInput) -> tuple[Operation, ...]:
    message: tuple[OperationInput, ...] = ("message", *more_inputs, "nonce", "key")
    return (
        Operation(name="encrypt", inputs=message, check="digest", max_messages=max_messages),
        Operation(name="decrypt", inputs=message, check="inverse", max_messages=max_messages),
        Operation(name=KEY_SETUP, inputs=("key",), check="verification"),
    )


_OF_CIPHER = {limit: _of_cipher(limit) for limit in (1, MAX_BATCH)}
_OF_AEAD = {limit: _of_cipher(limit, "associated-data") for limit in (1, MAX_BATCH)}
_CHECKS = {one.name: one.check for one in _OF_CIPHER[1]}

_BATCH = re.compile(r"(encrypt|decrypt)-(0|[1-9][0-9]*)(-keys)?")


@dataclass(frozen=True)
class Call:
    """Work of one call of an operation: on one message, or on a batch of several messages of one length."""

    operation: str
    """Operation on each message."""
    messages: int = 1
    keys: Keys = "one"

    @classmethod
    def of(cls, name: str) -> "Call":
        """Return the call that an operation of a plan names: ``encrypt-32-keys`` is a batch of a cipher."""
        batch = _BATCH.fullmatch(name)
        return cls(batch[1], int(batch[2]), "each" if batch[3] else "one") if batch else cls(name)

    @property
    def is_batch(self) -> bool:
        """Return whether it is one of several messages."""
        return self.messages > 1

    @property
    def options(self) -> list[str]:
        """Options of ``latency`` of a runner, which those of other languages have for one message only."""
        of_batch = ["--messages", str(self.messages), "--keys", self.keys]
        return ["--operation", self.operation, *(of_batch if self.is_batch else [])]


def check_of(operation: str) -> OutputCheck | None:
    """Return how the output of an operation of a cipher is checked; None if only its runner knows."""
    return _CHECKS.get(Call.of(operation).operation)


def encryption_of(operation: str) -> Call:
    """Return the encryption that makes what an operation of a cipher takes; the call of any other operation itself."""
    call = Call.of(operation)
    return call if check_of(operation) is None else replace(call, operation="encrypt")


def operation_label(operation: str, key_setup: str | None = None) -> str:
    """Return words for what a time is the time of: ``key setup``, ``encrypt, each of 32 messages``.

    key_setup: of a timed call.
    """
    call = Call.of(operation)
    words = call.operation.replace("-", " ")
    if call.is_batch:
        words += f", each of {call.messages} messages" + (" with its own key" if call.keys == "each" else "")
    return f"{words}, key set in each call" if key_setup == "included" else words


OperationSequence = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*(\+[a-z0-9]+(-[a-z0-9]+)*)*$", max_length=64)
]
"""Operations that a process executes one after the other, each as a phase."""
CIPHER_SEQUENCE = "key-setup+encrypt+decrypt"
PhaseName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$", max_length=16)]
"""Phase of a process: ``start``, ``load``, or an operation with underscores, as in the names of readings."""


def phases_of(sequence: str) -> tuple[str, ...]:
    """Return the phases of a sequence of operations; of ``noop`` those of a cipher, in which it does nothing."""
    names = (CIPHER_SEQUENCE if sequence == NOOP else sequence).replace("-", "_").split("+")
    return tuple(name for name in names if name)


def with_message(operations: Iterable[Operation], sequence: str) -> str:
    """Return those operations of a sequence that process the message: the others have no throughput."""
    without = {one.name for one in operations if "message" not in one.inputs}
    return "+".join(name for name in sequence.split("+") if name not in without)


def sequence_of(operations: Iterable[Operation], process: Sequence[str]) -> str:
    """Return what a process executes: the declared operations, or those of a cipher; empty if it lacks one."""
    names = {one.name for one in operations}
    cipher = CIPHER_SEQUENCE if names.issuperset(CIPHER_SEQUENCE.split("+")) else ""
    return "+".join(process) or cipher


def operations_of(
    kind: str | None, declared: Sequence[Operation] = (), *, batches: bool = False
) -> tuple[Operation, ...]:
    """Return the declared operations of an implementation; those of a cipher of its kind if it declares none.

    batches: whether its runner processes several messages in a call.
    """
    return tuple(declared) or (_OF_AEAD if kind == "aead" else _OF_CIPHER)[MAX_BATCH if batches else 1]
