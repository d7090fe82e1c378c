"""Values of the properties of a run's cases, and the sides that compare them. Pure."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from orchestrator.results.comparisons.schemas import MAX_SIDES, MIN_SIDES, Property
from orchestrator.results.comparisons.sides import MeasuredCase, SideName, blocking, match
from orchestrator.shared.errors import Conflict

_NUMBER = re.compile(r"([0-9]+)")


def count_values(cases: Sequence[MeasuredCase], selected: Mapping[Property, str], name: Property) -> dict[str, int]:
    """Return the values of a property with the number of their cases, among the cases of the other selected values."""
    others = {one: value for one, value in selected.items() if one != name}
    found = Counter(case.value_of(name) for case in cases if case.is_of(others))
    return {value: count for value, count in sorted(found.items()) if value}


def sides_by(run_id: str, cases: Sequence[MeasuredCase], name: Property) -> list[SideName]:
    """Return the sides that compare the values of a property; empty if there are none.

    The first side is the value with most cases, or the oldest version of a library.

    A value whose cases cannot be matched with the first side as a whole, such as an agent with several builds, is
    divided into several sides. Values that share no case with the first side are left out. Libraries are the versions
    of one library: different ones are compared by provider.
    """
    if name == "library":
        provider = _provider_with_versions(cases)
        cases = [case for case in cases if case.candidate.provider == provider]
    whole = SideName(run_id, {})
    values = _values_by_size(cases, name) if name != "library" else _versions(cases)
    sides = [whole.narrowed(name, value) for value in values]
    if len(sides) < MIN_SIDES:
        return []
    first, *others = sides
    for other in others:
        while dimension := blocking(_of(first, cases), _of(other, cases)):
            values = _values_by_size(_of(first, cases), dimension)
            if len(values) == 1:
                break
            first = first.narrowed(dimension, values[0])
    found = [first, *(part for other in others for part in _matched_parts(first, other, cases))]
    return found[:MAX_SIDES] if len(found) >= MIN_SIDES else []


def _matched_parts(first: SideName, other: SideName, cases: Sequence[MeasuredCase]) -> list[SideName]:
    """Return the other side, or its parts that can be matched with the first one."""
    own, others = _of(first, cases), _of(other, cases)
    dimension = blocking(own, others)
    if dimension is not None:
        parts = [other.narrowed(dimension, value) for value in _values_by_size(others, dimension)]
        return [found for part in parts for found in _matched_parts(first, part, cases)]
    try:
        match(own, others)
    except Conflict:
        return []
    return [other]


def _provider_with_versions(cases: Sequence[MeasuredCase]) -> str:
    """Return the provider with most versions, and of several the one with most cases; empty if none has two."""
    versions = {(case.candidate.provider, case.version) for case in cases if case.value_of("library")}
    counts = Counter(provider for provider, _ in versions)
    sizes = Counter(case.candidate.provider for case in cases)
    several = [provider for provider, count in counts.items() if count >= MIN_SIDES]
    return max(several, key=lambda one: (counts[one], sizes[one], one), default="")


def _of(side: SideName, cases: Sequence[MeasuredCase]) -> list[MeasuredCase]:
    return [case for case in cases if case.is_of(side.selected)]


def _versions(cases: Sequence[MeasuredCase]) -> list[str]:
    """Return the versions of libraries, the oldest first: 1.0.9 before 1.0.18."""
    parts = {value: _NUMBER.split(value) for value in count_values(cases, {}, "library")}
    # A text and a number alternate.
    return sorted(parts, key=lambda one: [int(part) if place % 2 else part for place, part in enumerate(parts[one])])


def _values_by_size(cases: Sequence[MeasuredCase], name: Property) -> list[str]:
    """Return the values of a property, those with most cases first."""
    counts = count_values(cases, {}, name)
    return sorted(counts, key=lambda value: (-counts[value], value))
