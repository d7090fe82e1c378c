"""Parameters of cases that plans, jobs and runner reports share: operations, timed messages, masked variants."""

from collections.abc import Iterable, Sequence
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

OperationName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=16)]
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


def _of_cipher(*more_inputs: OperationInput) -> tuple[Operation, ...]:
    message: tuple[OperationInput, ...] = ("message", *more_inputs, "nonce", "key")
    return (
        Operation(name="encrypt", inputs=message, check="digest"),
        Operation(name="decrypt", inputs=message, check="inverse"),
        Operation(name=KEY_SETUP, inputs=("key",), check="verification"),
    )


_OF_CIPHER, _OF_AEAD = _of_cipher(), _of_cipher("associated-data")
CHECKS = {one.name: one.check for one in _OF_CIPHER}
"""Check by operation of a cipher."""


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


def operations_of(kind: str | None, declared: Sequence[Operation] = ()) -> tuple[Operation, ...]:
    """Return the declared operations of an implementation; those of a cipher of its kind if it declares none."""
    return tuple(declared) or (_OF_AEAD if kind == "aead" else _OF_CIPHER)
