"""Agreement of two rankings of the same rows: rank correlation, and the rows whose rank differs most."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from orchestrator.statistics.location import Floats

Row = TypeVar("Row", bound=Hashable)


@dataclass(frozen=True)
class Move(Generic[Row]):
    """Ranks of one row in both rankings; rows of a tie have the mean of their places."""

    row: Row
    first_rank: float
    second_rank: float


@dataclass(frozen=True)
class Agreement(Generic[Row]):
    """Agreement of two rankings over the rows that both have."""

    rows: int
    kendall_tau: float | None
    """Tau-b, from -1 (reversed) to 1 (same order); None if a ranking has fewer than two different ranks."""
    spearman_rho: float | None
    moves: tuple[Move[Row], ...]
    """All rows with different ranks, the largest difference first."""


def agreement(first: Mapping[Row, float], second: Mapping[Row, float]) -> Agreement[Row]:
    """Return the agreement of two rankings.

    first, second: rank of each row, equal for a tie. The rows that both have are ranked again among themselves.
    Source: Kendall, The Treatment of Ties in Ranking Problems, Biometrika 33 (1945), tau-b; Spearman, American Journal
    of Psychology 15 (1904), as Pearson's correlation of mean ranks. scipy.stats has both, and the tests compare the
    results with it; it is not loaded here for its memory.
    """
    rows = [row for row in first if row in second]
    one, two = (_mean_ranks(np.array([of[row] for row in rows], dtype=np.float64)) for of in (first, second))
    moved = [Move(row, float(a), float(b)) for row, a, b in zip(rows, one, two, strict=True) if a != b]
    moved.sort(key=lambda move: -abs(move.first_rank - move.second_rank))
    return Agreement(len(rows), _tau(one, two), _rho(one, two), tuple(moved))


def _mean_ranks(values: Floats) -> Floats:
    """Return the rank of each value from 1; equal values have the mean of their places."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    means: Floats = (last - (counts - 1) / 2)[places]
    return means


def _tau(first: Floats, second: Floats) -> float | None:
    one, two = (np.sign(ranks[:, None] - ranks[None, :]) for ranks in (first, second))
    return _quotient((one * two).sum(), (one**2).sum() * (two**2).sum())


def _rho(first: Floats, second: Floats) -> float | None:
    if not len(first):
        return None
    one, two = first - first.mean(), second - second.mean()
    return _quotient((one * two).sum(), (one**2).sum() * (two**2).sum())


def _quotient(covariance: float, variances: float) -> float | None:
    return float(covariance / np.sqrt(variances)) if variances > 0 else None
