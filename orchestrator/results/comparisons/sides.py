"""Sides of a comparison: how they are named, and which of their cases belong together. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from orchestrator.errors import Conflict, InvalidRequest
from orchestrator.results.answers.readings import Candidate, Input
from orchestrator.statistics.location import Floats

Dimension = Literal["agent", "provider", "variant", "toolchain"]
DIMENSIONS: tuple[Dimension, ...] = ("agent", "provider", "variant", "toolchain")
"""Properties by which a side can be narrowed, and in which two sides may differ as a whole."""
SYNTAX = "Write RUN, or RUN with some of ,agent=NAME ,provider=NAME ,variant=NAME ,toolchain=LABEL."


@dataclass(frozen=True)
class SideName:
    """Name of a side as requested."""

    run_id: str
    selected: Mapping[Dimension, str]

    @property
    def label(self) -> str:
        """Return the text that names the side again."""
        return ",".join([self.run_id, *(f"{name}={value}" for name, value in self.selected.items())])


def parse_side(text: str) -> SideName:
    """Return the side that a text names: ``RUN,toolchain=gcc -O3``; raises InvalidRequest."""
    run_id, *parts = (part.strip() for part in text.split(","))
    selected: dict[Dimension, str] = {}
    for part in parts:
        name, found, value = part.partition("=")
        dimension = next((one for one in DIMENSIONS if one == name.strip()), None)
        if not found or dimension is None or not value.strip() or dimension in selected:
            raise InvalidRequest(f"{text[:80]!r} names no side of a comparison.", remedy=SYNTAX, field="run")
        selected[dimension] = value.strip()
    if not run_id:
        raise InvalidRequest("A side of the comparison has no run.", remedy=SYNTAX, field="run")
    return SideName(run_id, selected)


@dataclass(frozen=True)
class MeasuredCase:
    """One case of a side with its readings."""

    candidate: Candidate
    given: Input
    readings: Floats
    """Shape (blocks,), in the unit of the measure; NaN without an ok execution."""
    agent: str
    toolchain: str

    def value_of(self, dimension: Dimension) -> str:
        """Return the value of a property."""
        values = {
            "agent": self.agent,
            "provider": self.candidate.provider,
            "variant": self.candidate.variant,
            "toolchain": self.toolchain,
        }
        return values[dimension]


@dataclass(frozen=True)
class Matching:
    """Cases of two sides that belong together."""

    pairs: Sequence[tuple[MeasuredCase, MeasuredCase]]
    only_first: int
    only_other: int
    crossed: list[Dimension]
    """Properties in which the sides differ as a whole, and which were ignored therefore."""


def match(first: Sequence[MeasuredCase], other: Sequence[MeasuredCase]) -> Matching:
    """Return the cases that both sides have.

    A property that the sides have in common must be equal. One in which each side has a single value, and another one
    than the other side, is what is compared, and matches. Raises Conflict if the sides share no case.
    """
    crossed: list[Dimension] = []
    for dimension in DIMENSIONS:
        own, others = ({case.value_of(dimension) for case in cases} for cases in (first, other))
        if own & others or not own or not others:
            continue
        if len(own) > 1 or len(others) > 1:
            raise Conflict(
                f"The runs share no {dimension}: one has {_some(own)}, the other one {_some(others)}.",
                remedy=f"Select one of each: RUN,{dimension}={sorted(own)[0]} and RUN,{dimension}={sorted(others)[0]}.",
            )
        crossed.append(dimension)
    by_key = {_key(case, crossed): case for case in other}
    pairs = [(case, by_key[key]) for case in first if (key := _key(case, crossed)) in by_key]
    if not pairs:
        raise Conflict(
            _nothing_shared(first, other),
            remedy="Submit the plan of one of them again: a case is shared if algorithm, provider, variant, toolchain, "
            "agent and input are equal.",
        )
    return Matching(pairs, len(first) - len(pairs), len(other) - len(pairs), crossed)


def _key(case: MeasuredCase, crossed: Sequence[Dimension]) -> tuple[object, ...]:
    kept = tuple(case.value_of(one) for one in DIMENSIONS if one not in crossed)
    return case.candidate.algorithm, case.candidate.form, case.candidate.copy, case.given, *kept


def _nothing_shared(first: Sequence[MeasuredCase], other: Sequence[MeasuredCase]) -> str:
    """Return what each side has, and the first property that they do not share."""
    parts = []
    for cases in (first, other):
        lengths = sorted({case.given.length_bytes for case in cases})
        sizes = f"{lengths[0]} to {lengths[-1]} bytes" if lengths else "no input"
        parts.append(f"{_some({case.candidate.algorithm for case in cases})} with {len(cases)} cases of {sizes}")
    return f"The runs share no case. One has {parts[0]}; the other one has {parts[1]}."


def _some(values: set[str]) -> str:
    names = sorted(values)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") if names else "none"
