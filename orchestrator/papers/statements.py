"""Statements of claims about quantities: each becomes parts or an order that statistics/claims judges. Pure."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal, Protocol, TypeVar

import numpy as np

from orchestrator.papers.quantities import Device, Missing, Quantity, SharedInput
from orchestrator.shared.units import format_size
from orchestrator.statistics.claims.counts import Counts
from orchestrator.statistics.claims.ordering import Ordering
from orchestrator.statistics.claims.part import ClaimPart
from orchestrator.statistics.location import Floats, Location, locate
from orchestrator.statistics.power import floor_of_comparison
from orchestrator.statistics.winsorize import block_values

T = TypeVar("T")
SMALLEST_RELEVANT = 0.01
"""Smallest relative difference that counts as faster."""


@dataclass(frozen=True)
class ClaimEvidence:
    """Contribution of a run to a claim."""

    statement: Sequence[ClaimPart] | Ordering | Counts = ()
    missing: tuple[str, ...] = ()
    """What the run lacks; without anything missing the statement is complete."""


def _evidence(compared: Iterable[T], parts: Callable[[T], Iterator[ClaimPart]]) -> ClaimEvidence:
    """Return the parts of what is compared, and what the device lacks for the others."""
    found, missing = list[ClaimPart](), list[str]()
    for one in compared:
        try:
            found += parts(one)
        except Missing as absent:
            missing.append(str(absent))
    return ClaimEvidence(found, tuple(missing))


class Statement(Protocol):
    """Interface of everything that a claim can state."""

    @property
    def tested(self) -> str:
        """Summary of the test for users."""
        ...

    def evidence(self, device: Device) -> ClaimEvidence:
        """Return what the device's part of a run contributes."""
        ...


@dataclass(frozen=True)
class RatioRange:
    """The second quantity of each pair / the first one is in a range, for every pair, or for every pair and length."""

    pairs: tuple[tuple[Quantity, Quantity], ...]
    tested: str
    low: float = -math.inf
    """Lower limit of ln(second / first)."""
    high: float = math.inf
    each: Literal["pair", "length"] = "pair"

    def evidence(self, device: Device) -> ClaimEvidence:
        """Return a part for each pair, or for each pair and length, that the device has."""
        found = _evidence(self.pairs, lambda pair: self._parts(device, *pair))
        return replace(found, missing=tuple(dict.fromkeys(found.missing)))

    def _parts(self, device: Device, first: Quantity, second: Quantity) -> Iterator[ClaimPart]:
        one, other = first.logs(device), second.logs(device)
        groups = defaultdict[str, list[Floats]](list)
        for point in sorted(_shared_points(one, other)):
            ratio = other.get(point, other.get(_ANY, _NO_VALUES)) - one.get(point, one.get(_ANY, _NO_VALUES))
            if np.isfinite(ratio).any():
                groups[f" at {format_size(point.length_bytes)}" if self.each == "length" else ""].append(ratio)
        if not groups:
            raise Missing(f"{first.label} and {second.label}: no block with the same input")
        for words, ratios in groups.items():
            name, exact = f"{second.label} / {first.label}{words}", first.exact and second.exact
            yield _part(name, ratios, device, self.low, self.high, exact=exact)


_ANY = SharedInput()
_NO_VALUES = np.full(1, np.nan)


def _shared_points(one: Mapping[SharedInput, Floats], other: Mapping[SharedInput, Floats]) -> set[SharedInput]:
    """Return the inputs that both have; a quantity without an input, such as a published figure, has every one."""
    if other.keys() == {_ANY}:
        return set(one)
    return set(other) if one.keys() == {_ANY} else one.keys() & other.keys()


def faster(
    pairs: Iterable[tuple[Quantity, Quantity]],
    *,
    by: float = SMALLEST_RELEVANT,
    each: Literal["pair", "length"] = "pair",
) -> RatioRange:
    """Return the statement that the first of each pair is smaller (faster) by more than this, 0.01 is 1 %."""
    where = "every pair and length" if each == "length" else "every pair"
    return RatioRange(tuple(pairs), f"second / first above {1 + by:g} for {where}", low=math.log1p(by), each=each)


def no_difference(pairs: Iterable[tuple[Quantity, Quantity]], *, within: float) -> RatioRange:
    """Return the statement that the pairs differ by at most this, 0.05 is 5 %: two one-sided tests."""
    limit = math.log1p(within)
    return RatioRange(tuple(pairs), f"second / first within 1 ± {within:.0%} (two one-sided tests)", -limit, limit)


@dataclass(frozen=True)
class Growth:
    """The throughput of each quantity changes with each doubling of the length by a factor in a range."""

    quantities: tuple[Quantity, ...]
    """Times per byte."""
    tested: str
    low: float = -math.inf
    """Of ln(factor), as the next."""
    high: float = math.inf

    def evidence(self, device: Device) -> ClaimEvidence:
        """Return a part for each quantity that was measured with two lengths or more."""
        return _evidence(self.quantities, lambda one: self._parts(device, one))

    def _parts(self, device: Device, one: Quantity) -> Iterator[ClaimPart]:
        slopes, doublings = growth(one.logs(device), one.label)
        yield _part(one.label, [slopes], device, self.low, self.high, per=doublings)


def growth(logs: Mapping[SharedInput, Floats], label: str) -> tuple[Floats, float]:
    """Return ln(throughput) per doubling of the length in each block, shape (blocks,), and the doublings covered.

    logs: ln(time per byte). The slope is that of least squares over all lengths; blocks without one of them are NaN.
    Raises Missing for fewer than two lengths.
    """
    lengths, means = _by_length(logs, label)
    places = np.log2(lengths)
    centered = places - places.mean()
    slopes: Floats = -(centered @ means) / float(centered @ centered)
    return slopes, float(places[-1] - places[0])


@dataclass(frozen=True)
class FixedCost:
    """The fixed cost of each quantity is at least a share of its time at the smallest length, by T(n) = a + b·n."""

    quantities: tuple[Quantity, ...]
    """Times."""
    min_share: float
    """Below 1."""

    @property
    def tested(self) -> str:
        """Summary of the test for users."""
        return f"T(smallest length) / (b · smallest length) at least {1 / (1 - self.min_share):.3g} for each"

    def evidence(self, device: Device) -> ClaimEvidence:
        """Return a part for each quantity that was measured with two lengths or more."""
        return _evidence(self.quantities, lambda one: self._parts(device, one))

    def _parts(self, device: Device, one: Quantity) -> Iterator[ClaimPart]:
        excess = excess_of_smallest(one.logs(device), one.label)
        yield _part(one.label, [excess], device, -math.log1p(-self.min_share), math.inf)


def excess_of_smallest(logs: Mapping[SharedInput, Floats], label: str) -> Floats:
    """Return ln(T(n) / (b·n)) at the smallest length n in each block, shape (blocks,), NaN where b is not above 0.

    logs: ln(time). a and b minimize the squares of relative deviations, sum((a + b·n - T(n))² / T(n)²), over all
    lengths. Raises Missing for fewer than two lengths.
    """
    lengths, means = _by_length(logs, label)
    times = np.exp(means)
    weights = times**-2
    total = weights.sum(axis=0)
    centered = lengths[:, np.newaxis] - (weights * lengths[:, np.newaxis]).sum(axis=0) / total
    slopes = (weights * centered * times).sum(axis=0) / (weights * centered**2).sum(axis=0)
    rising = np.where(slopes > 0, slopes, np.nan)
    excess: Floats = means[0] - np.log(rising * lengths[0])
    return excess


def _by_length(logs: Mapping[SharedInput, Floats], label: str) -> tuple[Floats, Floats]:
    """Return ascending lengths and the mean over the inputs of each, shape (lengths, blocks); raises Missing."""
    by_length = defaultdict[int, list[Floats]](list)
    for point, values in logs.items():
        by_length[point.length_bytes].append(values)
    lengths = sorted(by_length)
    if len(lengths) < 2:
        raise Missing(f"{label}: measured with {len(lengths)} length, and a trend requires two")
    return np.array(lengths, dtype=np.float64), np.stack([np.mean(by_length[one], axis=0) for one in lengths])


@dataclass(frozen=True)
class SameOrder:
    """The measured rows have the published order: Kendall's tau is at least a minimum."""

    rows: tuple[tuple[Quantity, float], ...]
    """Quantity and published figure."""
    min_tau: float

    @property
    def tested(self) -> str:
        """Summary of the test for users."""
        return f"Kendall's tau with the published order of {len(self.rows)} rows at least {self.min_tau:g}"

    def evidence(self, device: Device) -> ClaimEvidence:
        """Return the order of the rows that were measured."""
        measured, missing = dict[str, Floats](), list[str]()
        published = {quantity.label: figure for quantity, figure in self.rows}
        for quantity, _ in self.rows:
            try:
                (measured[quantity.label],) = quantity.logs(device).values()
            except Missing as absent:
                missing.append(str(absent))
        if len(measured) < 2:
            return ClaimEvidence((), tuple(missing))
        order = Ordering("tau", published, measured, self.min_tau, _floor(device, 1, 1))
        return ClaimEvidence(order if order.blocks() else (), tuple(missing))


@dataclass(frozen=True)
class NearPublished:
    """Each measured figure / the published one is within 1 ± a share."""

    rows: tuple[tuple[Quantity, float], ...]
    within: float

    @property
    def tested(self) -> str:
        """Summary of the test for users."""
        return f"measured / published within 1 ± {self.within:.0%} for each of {len(self.rows)} figures"

    def evidence(self, device: Device) -> ClaimEvidence:
        """Return a part for each measured row."""
        return _evidence(self.rows, lambda row: self._parts(device, *row))

    def _parts(self, device: Device, quantity: Quantity, figure: float) -> Iterator[ClaimPart]:
        limit = math.log1p(self.within)
        ratios = [values - math.log(figure) for values in quantity.logs(device).values()]
        yield _part(quantity.label, ratios, device, -limit, limit, exact=quantity.exact)


Variants = Mapping[str, str]
"""Variant of each cipher by its name in the paper."""


@dataclass(frozen=True)
class ForEachChoice:
    """A statement about ciphers whose measured code is unknown: one for each choice of their portable variants."""

    ciphers: Mapping[str, str]
    """Name in the paper → algorithm."""
    of: Callable[[Variants], Statement]
    compiler: str = ""
    """Every one if empty."""
    provider: str = field(default="own", init=False)

    @property
    def tested(self) -> str:
        """Summary of the test for users."""
        return f"{self.of(self.ciphers).tested}; for each choice of one portable variant of each cipher"

    def choices(self, device: Device) -> dict[str, ClaimEvidence]:
        """Return what the device contributes to each choice, by its label; raises Missing without any variant."""
        variants = [
            device.portable_variants(self.provider, algorithm, self.compiler) for algorithm in self.ciphers.values()
        ]
        several = [name for name, found in zip(self.ciphers, variants, strict=True) if len(found) > 1]
        chosen = [dict(zip(self.ciphers, one, strict=True)) for one in product(*variants)]
        return {", ".join(f"{name} {one[name]}" for name in several): self.of(one).evidence(device) for one in chosen}


@dataclass(frozen=True)
class NotJudged:
    """A claim that no run of this version can decide."""

    reason: str
    tested: str = field(default="not tested", init=False)

    def evidence(self, _device: Device) -> ClaimEvidence:
        """Return the reason as what is missing."""
        return ClaimEvidence((), (self.reason,))


def location_of(quantity: Quantity, device: Device) -> Location:
    """Return the location of ln(quantity) over the blocks, all inputs together; raises Missing."""
    return locate(block_values(_matrix(list(quantity.logs(device).values()), f"{quantity.label}: no ok execution")))


def _matrix(logs: Sequence[Floats], absent: str) -> Floats:
    """Return the logarithms of these inputs in the blocks that have one, shape (blocks, inputs); raises Missing."""
    matrix = np.stack(logs, axis=1)
    found = np.isfinite(matrix)
    matrix = matrix[found.any(axis=1)][:, found.any(axis=0)]
    if not matrix.size:
        raise Missing(absent)
    return matrix


def _part(
    name: str,
    logs: Sequence[Floats],
    device: Device,
    low: float,
    high: float,
    *,
    exact: bool = False,
    per: float = 1.0,
) -> ClaimPart:
    """Return a part of the block values over these inputs; per: number of units that a value is divided by."""
    matrix = _matrix(logs, f"{name}: no complete block")
    values = block_values(matrix)
    error = 0.0 if exact else _floor(device, len(values), matrix.shape[1]) / per
    return ClaimPart(name, values, low, high, error, exact)


def _floor(device: Device, blocks: int, inputs: int) -> float:
    """Return the agent's noise floor for this number of blocks and inputs, as a difference of logarithms."""
    return math.log1p(floor_of_comparison(device.facts.noise_floor.relative or 0.0, blocks, inputs))
