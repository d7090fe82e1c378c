"""Sides of a comparison: how they are named, and which of their cases belong together. Pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

import numpy as np

from orchestrator.results.answers.readings import Candidate, Input
from orchestrator.results.comparisons.schemas import Property
from orchestrator.shared.errors import Conflict, InvalidRequest
from orchestrator.shared.units import format_size
from orchestrator.shared.values.text import some
from orchestrator.statistics.location import Floats
from orchestrator.wire.languages.all_languages import language_of_provider

Dimension = Literal["agent", "provider", "variant", "toolchain"]
DIMENSIONS: tuple[Dimension, ...] = ("agent", "provider", "variant", "toolchain")
"""Properties in which two sides may differ as a whole."""
PROPERTIES: tuple[Property, ...] = get_args(Property)
"""Properties by which a side can be narrowed. Those that are no dimension follow from provider, toolchain and agent."""
SYNTAX = (
    "Write RUN, or RUN with some of ,agent=NAME ,toolchain=LABEL ,library=NAME VERSION ,provider=NAME ,language=NAME "
    ",variant=NAME. They are listed by: ciphermark compare --sides RUN. An imported series is import:ID/SERIES."
)
NATIVE = "C and C++"
"""Language of the providers that are no program of another language."""
_OWN = "own"
_LISTED = 12
"""Values that an error lists."""


@dataclass(frozen=True)
class SideName:
    """Name of a side as requested."""

    run_id: str
    selected: Mapping[Property, str]

    @property
    def label(self) -> str:
        """Return the text that names the side again."""
        return ",".join([self.run_id, *(f"{name}={value}" for name, value in self.selected.items())])

    def narrowed(self, name: Property, value: str) -> "SideName":
        """Return the part of this side with a value of a property."""
        return SideName(self.run_id, {**self.selected, name: value})


def parse_side(text: str) -> SideName:
    """Return the side that a text names: ``RUN,toolchain=gcc -O3``; raises InvalidRequest."""
    run_id, *parts = (part.strip() for part in text.split(","))
    selected: dict[Property, str] = {}
    for part in parts:
        name, found, value = part.partition("=")
        known = next((one for one in PROPERTIES if one == name.strip()), None)
        if not found or known is None or not value.strip() or known in selected:
            raise InvalidRequest(f"{text[:80]!r} names no side of a comparison.", remedy=SYNTAX, field="run")
        selected[known] = value.strip()
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
    version: str = ""
    """Version of the library; empty if the build does not list it."""

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of schemas.CaseFields."""
        return {
            **self.candidate.fields,
            "toolchain": self.toolchain,
            "input_kind": self.given.kind,
            "length_bytes": self.given.length_bytes,
            "has_message": self.given.has_message,
            "operation": self.given.operation,
            "key_setup": self.given.key_setup,
            "associated_data_bytes": self.given.associated_data_bytes,
        }

    def value_of(self, name: Property) -> str:
        """Return the value of a property; empty where the case has none."""
        values = {
            "agent": self.agent,
            "provider": self.candidate.provider,
            "variant": self.candidate.variant,
            "toolchain": self.toolchain,
            "library": library_label(self.candidate.provider, self.version),
            "language": language_label(self.candidate.provider),
        }
        return values[name]

    def is_of(self, selected: Mapping[Property, str]) -> bool:
        """Return whether the case has all these values."""
        return all(self.value_of(name) == value for name, value in selected.items())


def library_label(provider: str, version: str) -> str:
    """Return the label of a library: ``botan 2.19.3``; empty for providers that are none."""
    is_library = provider != _OWN and language_of_provider(provider) is None
    return f"{provider} {version}" if is_library and version else ""


def language_label(provider: str) -> str:
    """Return the language of a provider: ``Go``, or ``Go binding`` for C++ that is called from Go."""
    language = language_of_provider(provider)
    if language is None:
        return NATIVE
    return f"{language.label} binding" if language.binding else language.label


def select_cases(name: SideName, cases: Sequence[MeasuredCase], results: str) -> list[MeasuredCase]:
    """Return the cases of a side among those of its run; raises Conflict with the values that exist if there is none.

    results: the results that the cases have, for the error.
    """
    kept = [case for case in cases if case.is_of(name.selected)]
    if kept:
        return kept
    label = name.label[:120]
    if not cases:
        raise Conflict(f"{label!r} has no {results}.", remedy="Wait for the first results of the run.")
    for one, value in name.selected.items():
        has = sorted({case.value_of(one) for case in cases} - {""})
        if value not in has:
            raise Conflict(
                f"{label!r} has no {results}: run {name.run_id} has none with {one} {value[:60]!r}.",
                remedy=f"Select what its run has: {one}: {_some(set(has))}.",
            )
    *others, (last, value) = name.selected.items()
    rest = {case.value_of(last) for case in cases if case.is_of(dict(others))} - {""}
    raise Conflict(
        f"{label!r} has no {results}: its run has each of these values, but not together.",
        remedy=f"Select another {last} than {value[:60]!r}: {last}: {_some(rest)}.",
    )


@dataclass(frozen=True)
class Matching:
    """Cases of two sides that belong together."""

    pairs: Sequence[tuple[MeasuredCase, MeasuredCase]]
    only_first: int
    only_other: int
    crossed: list[Dimension]
    """Properties in which the sides differ as a whole, and which were ignored therefore."""


def match(
    first: Sequence[MeasuredCase], other: Sequence[MeasuredCase], names: tuple[str, str] = ("RUN", "RUN")
) -> Matching:
    """Return the cases that both sides have.

    A property that the sides have in common must be equal. One in which each side has a single value, and another one
    than the other side, is what is compared, and matches. Variants are those of a provider: between two providers, each
    may have several (fastest_variants leaves one for each algorithm). Raises Conflict if the sides share no case.

    names: of the sides, for errors.
    """
    crossed: list[Dimension] = []
    for dimension in DIMENSIONS:
        own, others = values_apart(first, other, dimension)
        if not own:
            continue
        crossed.append(dimension)
        if (len(own) > 1 or len(others) > 1) and not _follows(dimension, crossed):
            apart = [one for one in DIMENSIONS if one in crossed or values_apart(first, other, one)[0]]
            if closest := _closest(first, other, dimension, apart):
                raise Conflict(
                    f"The runs share no {dimension}: one has {_some(own)}, the other one {_some(others)}.",
                    remedy=f"Select one of each: {names[0]},{dimension}={closest[0]} and "
                    f"{names[1]},{dimension}={closest[1]}.",
                )
    ignored = [one for one in DIMENSIONS if one in crossed or _follows(one, crossed)]
    by_key = {_key(case, ignored): case for case in other}
    pairs = [(case, by_key[key]) for case in first if (key := _key(case, ignored)) in by_key]
    if not pairs:
        raise Conflict(
            _nothing_shared(first, other),
            remedy="Submit the plan of one of them again: a case is shared if algorithm, provider, variant, toolchain, "
            "agent and input are equal.",
        )
    return Matching(pairs, len(first) - len(pairs), len(other) - len(pairs), crossed)


def blocking(first: Sequence[MeasuredCase], other: Sequence[MeasuredCase]) -> Dimension | None:
    """Return the first property that the sides do not share, and of which one has several values."""
    apart: list[Dimension] = []
    for dimension in DIMENSIONS:
        values = values_apart(first, other, dimension)
        if any(values):
            apart.append(dimension)
        if any(len(one) > 1 for one in values) and not _follows(dimension, apart):
            return dimension
    return None


def _follows(dimension: Dimension, apart: Sequence[Dimension]) -> bool:
    """Return whether a property has other values because another property has: variants are those of a provider."""
    return dimension == "variant" and "provider" in apart


def fastest_variants(cases: Sequence[MeasuredCase], *, rises: bool) -> list[MeasuredCase]:
    """Return the cases of the best variant of each algorithm of a provider, over the inputs that its variants share.

    rises: whether a larger reading is better.
    """
    groups = defaultdict[tuple[object, ...], dict[str, dict[Input, MeasuredCase]]](dict)
    for case in cases:
        one = case.candidate
        identity = one.agent_id, one.provider, one.algorithm, one.build_id, one.copy, one.form
        groups[identity].setdefault(one.variant, {})[case.given] = case
    kept: list[MeasuredCase] = []
    for variants in groups.values():
        shared = set.intersection(*map(set, variants.values()))
        sign = -1 if rises else 1
        kept += min(
            variants.values(),
            key=lambda own: (
                sign * float(np.mean([np.log(np.nanmedian(own[given].readings)) for given in shared] or [0]))
            ),
        ).values()
    return kept


def values_apart(
    first: Sequence[MeasuredCase], other: Sequence[MeasuredCase], dimension: Dimension
) -> tuple[set[str], set[str]]:
    """Return the values of both sides if they have none in common, otherwise two empty sets."""
    own, others = ({case.value_of(dimension) for case in cases} for cases in (first, other))
    return (set(), set()) if own & others or not own or not others else (own, others)


def _closest(
    first: Sequence[MeasuredCase], other: Sequence[MeasuredCase], dimension: Dimension, ignored: Sequence[Dimension]
) -> tuple[str, str] | None:
    """Return the values of a property whose cases have most in common; None if no case is in both sides."""
    having = defaultdict[tuple[object, ...], set[str]](set)
    for case in other:
        having[_key(case, ignored)].add(case.value_of(dimension))
    common = Counter(
        (case.value_of(dimension), value) for case in first for value in having.get(_key(case, ignored), ())
    )
    return min(common, key=lambda pair: (-common[pair], pair), default=None)


def _key(case: MeasuredCase, crossed: Sequence[Dimension]) -> tuple[object, ...]:
    kept = tuple(case.value_of(one) for one in DIMENSIONS if one not in crossed)
    return case.candidate.algorithm, case.candidate.form, case.candidate.copy, case.given, *kept


def _nothing_shared(first: Sequence[MeasuredCase], other: Sequence[MeasuredCase]) -> str:
    """Return what each side has, and the first property that they do not share."""
    parts = []
    for cases in (first, other):
        lengths = sorted({case.given.length_bytes for case in cases})
        ends = dict.fromkeys((*lengths[:1], *lengths[-1:]))
        sizes = " to ".join(map(format_size, ends)) or "no input"
        count = f"{len(cases)} case{'s' if len(cases) != 1 else ''}"
        parts.append(f"{_some({case.candidate.algorithm for case in cases})} with {count} of {sizes}")
    return f"The runs share no case. One has {parts[0]}; the other one has {parts[1]}."


def _some(values: set[str]) -> str:
    return some(sorted(values), _LISTED) or "none"


NamedRun = tuple[SideName, str, datetime]
"""A side with the name and date of its run."""


def titles(sides: Sequence[NamedRun]) -> list[str]:
    """Return a title for each side: ``packets``, ``packets of 2026-11-23 21:03``, ``clang -O3``; all are distinct.

    Sides of one run are named by their parts alone. Sides that are the same keep the text that names them.
    """
    runs = {side.run_id: f"{name} of {submitted_at:%Y-%m-%d %H:%M}" for side, name, submitted_at in sides}
    names = {side.run_id: name for side, name, _ in sides}
    if len(set(names.values())) == len(names):
        runs = names
    elif len(set(runs.values())) < len(runs):
        runs = {run_id: f"{name} ({run_id})" for run_id, name in names.items()}
    found = [_title(side, runs[side.run_id], alone=len(runs) == 1) for side, _, _ in sides]
    count = Counter(found)
    return [title if count[title] == 1 else side.label for title, (side, _, _) in zip(found, sides, strict=True)]


def _title(side: SideName, run: str, *, alone: bool) -> str:
    parts = list(side.selected.values())
    return ", ".join(parts if parts and alone else [run, *parts])
