"""Cost of a message of a mixture: a weighted sum of measured times, interpolated between measured lengths."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from orchestrator.statistics.location import Floats
from orchestrator.statistics.rankings.sums import weighted_sums
from orchestrator.statistics.winsorize import medians_of


@dataclass(frozen=True)
class Mixture:
    """Lengths of messages with their shares, and how often the key changes."""

    lengths_bytes: tuple[float, ...]
    """Ascending, all different; fractions occur where the lengths are scaled."""
    shares: tuple[float, ...]
    """Sum 1."""
    key_changes: float = 0.0
    """Per message."""

    @classmethod
    def of(cls, lengths_bytes: Sequence[int], counts: Sequence[float], key_changes: float = 0.0) -> "Mixture":
        """Return the mixture of these counts; key_changes: in the time of all of them. Raises ValueError without any.

        counts: 0 or more, in any unit; lengths with 0 are omitted.
        """
        total = math.fsum(counts)
        if not total > 0:
            raise ValueError("a mixture needs at least one message")
        found = sorted((length, count / total) for length, count in zip(lengths_bytes, counts, strict=True) if count)
        return cls(tuple(length for length, _ in found), tuple(share for _, share in found), key_changes / total)

    @property
    def mean_bytes(self) -> float:
        """Mean length of a message."""
        return math.fsum(length * share for length, share in zip(self.lengths_bytes, self.shares, strict=True))

    def share_of(self, length_bytes: float) -> float:
        """Return the share of the messages with this length."""
        return dict(zip(self.lengths_bytes, self.shares, strict=True)).get(length_bytes, 0.0)

    def scaled(self, factor: float) -> "Mixture":
        """Return the mixture with all messages longer by this factor."""
        return Mixture(tuple(length * factor for length in self.lengths_bytes), self.shares, self.key_changes)

    def with_share(self, length_bytes: float, share: float) -> "Mixture":
        """Return the mixture with another share of one length; the other shares keep their ratios to each other.

        share: 0 to 1; below 1 only where the mixture has another length.
        """
        others = {one: own for one, own in zip(self.lengths_bytes, self.shares, strict=True) if one != length_bytes}
        rest = math.fsum(others.values())
        changed = {one: own * (1 - share) / rest for one, own in others.items()} if rest and share < 1 else {}
        found = sorted({**changed, length_bytes: share}.items())
        return Mixture(tuple(one for one, _ in found), tuple(own for _, own in found), self.key_changes)


@dataclass(frozen=True)
class InterpolationError:
    """Error of interpolation as a share of a cost: 0.02 is 2 %."""

    below: float
    """By which the true cost may be lower."""
    above: float
    """By which it may be higher; at least as much."""


@dataclass(frozen=True)
class Times:
    """Times of one candidate by block and measured length."""

    lengths_bytes: tuple[int, ...]
    """Ascending, all different."""
    times_ns: Floats
    """Positive, shape (blocks, lengths), NaN for a missing result."""
    key_setup_ns: Floats | None = None
    """Shape (blocks,); None: not measured."""

    @cached_property
    def typical_ns(self) -> Floats:
        """Median of each length over the blocks that have it, shape (lengths,)."""
        middles: Floats = np.exp(medians_of(np.log(self.times_ns)))
        return middles

    @cached_property
    def typical_key_setup_ns(self) -> float:
        """Median of the key setups; 0 if they were not measured."""
        return 0.0 if self.key_setup_ns is None else float(np.nanmedian(self.key_setup_ns))

    @cached_property
    def largest_miss(self) -> float | None:
        """Largest relative error with which a measured length is interpolated from its neighbors.

        None below 3 lengths, where no length has two neighbors.
        """
        if len(self.lengths_bytes) < 3:
            return None
        sizes, typical = np.asarray(self.lengths_bytes, dtype=np.float64), self.typical_ns
        shares = (sizes[1:-1] - sizes[:-2]) / (sizes[2:] - sizes[:-2])
        guesses = typical[:-2] + shares * (typical[2:] - typical[:-2])
        return float(np.abs(guesses / typical[1:-1] - 1).max())

    def covers(self, mixture: Mixture) -> bool:
        """Return whether no length of a mixture is outside the measured ones."""
        return self.lengths_bytes[0] <= mixture.lengths_bytes[0] and mixture.lengths_bytes[-1] <= self.lengths_bytes[-1]

    def sums_ns(self, mixture: Mixture) -> Floats:
        """Return the cost of a message by block, shape (blocks,), NaN for a block that lacks a time.

        mixture: one that the lengths cover. Between two measured lengths the time is interpolated linearly within the
        block; distant times are replaced (sums.weighted_sums).
        """
        weights = self._weights(mixture)
        used = weights > 0
        columns, factors = self.times_ns[:, used], weights[used]
        if mixture.key_changes and self.key_setup_ns is not None:
            columns = np.column_stack([columns, self.key_setup_ns])
            factors = np.append(factors, mixture.key_changes)
        return weighted_sums(columns, factors.tolist())

    def cost_ns(self, mixture: Mixture) -> float:
        """Return the cost of a message by the typical times."""
        return float(self._weights(mixture) @ self.typical_ns) + mixture.key_changes * self.typical_key_setup_ns

    def interpolation_error(self, mixture: Mixture) -> "InterpolationError":
        """Return the error that interpolation may add to the cost; none with measured lengths only.

        An interpolated time errs by at most the largest error with which a measured length is interpolated from its
        neighbors (below 3 lengths: by its distance to the neighbors' times). Where all measured lengths are multiples
        of a number, they do not show what an incomplete block costs: for other lengths, up to the next multiple and a
        message of the shortest length are added. AES-GCM with vector instructions takes 41 ns for 16 and 43 ns for 64
        bytes, but 75 ns for 20 and 76 ns for 65. All errors are added, as if they had the same sign.
        """
        sizes, typical = np.asarray(self.lengths_bytes, dtype=np.float64), self.typical_ns
        lengths, shares = np.asarray(mixture.lengths_bytes), np.asarray(mixture.shares)
        inexact = ~np.isin(lengths, sizes)
        if not inexact.any():
            return InterpolationError(0.0, 0.0)
        lengths, shares = lengths[inexact], shares[inexact]
        guesses = np.interp(lengths, sizes, typical)
        divisor = math.gcd(*self.lengths_bytes) or 1
        next_multiples = np.interp(np.ceil(lengths / divisor) * divisor, sizes, typical)
        incomplete = np.where(lengths % divisor > 0, np.abs(next_multiples - guesses) + typical[0], 0.0)
        if self.largest_miss is None:
            places = np.searchsorted(sizes, lengths)
            below = np.abs(np.stack([typical[places - 1], typical[places]]) - guesses).max(axis=0)
        else:
            below = self.largest_miss * guesses
        cost_ns = self.cost_ns(mixture)
        return InterpolationError(float(shares @ below) / cost_ns, float(shares @ (below + incomplete)) / cost_ns)

    def _weights(self, mixture: Mixture) -> Floats:
        """Return the weight of each measured length, shape (lengths,)."""
        sizes = np.asarray(self.lengths_bytes, dtype=np.float64)
        lengths, shares = np.asarray(mixture.lengths_bytes), np.asarray(mixture.shares)
        above = np.clip(np.searchsorted(sizes, lengths), 1 if len(sizes) > 1 else 0, len(sizes) - 1)
        below = np.maximum(above - 1, 0)
        width = np.where(above > below, sizes[above] - sizes[below], 1.0)
        share_above = np.where(above > below, (lengths - sizes[below]) / width, 0.0)
        weights = np.zeros(len(sizes))
        np.add.at(weights, above, shares * share_above)
        np.add.at(weights, below, shares * (1 - share_above))
        return weights
