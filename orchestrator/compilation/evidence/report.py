"""Reports of the leakage programs, and the stored document, which names what it examined (docs/masking.md)."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from orchestrator.shared.values.models import LazyModel

Word = Annotated[str, StringConstraints(max_length=64)]
Sentence = Annotated[str, StringConstraints(max_length=4000)]
Count = Annotated[int, Field(ge=0)]


class _Printed(LazyModel):
    """Fields of the native programs; others are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Gadget(_Printed):
    """Verdict on one gadget, or on a gadget with a fault that must be found."""

    gadget: Word
    shares: Count
    faulty: bool
    probes: Count
    sets: Count
    """Sets of at most shares - 1 probes that were checked."""
    exhaustive: bool
    probing_violation: Sentence | None
    pini_violation: Sentence | None
    passed: bool


class Order(_Printed):
    """Largest |t| of the tests of one order."""

    order: Count
    tests: Count
    largest_t: float
    threshold: float
    """Exceeded with probability 10⁻⁵ if nothing leaks, for all tests of the order together."""


class _Tested(_Printed):
    shares: Count
    seed: Count
    points: Count
    traces: Count
    orders: tuple[Order, ...]
    passed: bool


class Traces(_Tested):
    """t-test of one form with one seed."""

    algorithm: Word
    variant: Word
    degree: Word


class ControlTest(_Tested):
    """t-test of a permutation with a planted fault or without one; or of a form with a fault, which it names."""

    algorithm: Word | None = None
    variant: Word | None = None
    degree: Word | None = None
    control: Word
    faulty: bool
    found: bool


class ObjectCode(_Printed):
    """Verdict on the instructions of one form, or of a control, which has no algorithm."""

    algorithm: Word | None = None
    variant: Word | None = None
    shares: Count | None = None
    degree: Word | None = None
    control: Word | None = None
    unavailable: Sentence | None = None
    """Reason why nothing was watched."""
    instructions: Count | None = None
    draws: Count | None = None
    draws_before_recombination: Count | None = None
    passed: bool


class Compilation(_Printed):
    """Compiler and flags of the programs; the object code is theirs."""

    compiler: Word
    compiler_version: Word
    flags: Sentence
    target: Word


Check = Literal["gadgets", "controls", "traces", "object-code"]


class Evidence(LazyModel):
    """All results for one state of the runners' sources."""

    version: Literal[1] = 1
    source_sha256: str
    collected_at: datetime
    wall_seconds: float
    compilation: Compilation
    gadgets: list[Gadget] = []
    controls: list[ControlTest] = []
    traces: list[Traces] = []
    object_code: list[ObjectCode] = []

    @property
    def failed(self) -> int:
        """Number of results that have not passed."""
        results: list[Gadget | ControlTest | Traces | ObjectCode] = [
            *self.gadgets, *self.controls, *self.traces, *self.object_code,
        ]  # fmt: skip
        return sum(not one.passed for one in results)
