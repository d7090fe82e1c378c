"""Tests of every pair of a field: the comparisons of paired.compare, calculated for many pairs together."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from orchestrator.statistics.incomplete import Flags
from orchestrator.statistics.location import MAX_BLOCKS, Floats, locate_many
from orchestrator.statistics.winsorize import block_values

_CELLS = 2_000_000
"""Numbers of one step, which bounds the memory: 16 MB for each intermediate result."""


@dataclass(frozen=True)
class Pairs:
    """Tests of pairs, shape (candidates, candidates), above the diagonal; NaN for a pair that was not tested."""

    p: Floats
    log_ratios: Floats
    """Logarithm of the speed of the first / that of the second, as exact as the verdict requires (locate_many)."""


def test_pairs(logs: Floats, required: Flags, limits: Floats) -> Pairs:
    """Return the tests of the required pairs.

    logs: ln(speed), shape (candidates, blocks, inputs), NaN for a missing result. required: pairs with at least 6
    blocks in common. limits: ln(ratio) of each pair that is no difference, 0 or more.
    """
    count = len(logs)
    p, ratios = np.full((count, count), np.nan), np.full((count, count), np.nan)
    for first in range(count - 1):
        others = first + 1 + np.flatnonzero(required[first, first + 1 :])
        for some in _parts(others, logs.shape[1], logs.shape[2]):
            values = block_values(logs[first] - logs[some])
            blocks = np.isfinite(values).sum(axis=1)
            for n in np.unique(blocks):
                where = some[blocks == n]
                rows = values[blocks == n]
                rows = rows[np.isfinite(rows)].reshape(len(where), n)
                ratios[first, where], p[first, where] = locate_many(rows, limits[first, where])
    return Pairs(p, ratios)


def _parts(others: NDArray[np.intp], blocks: int, inputs: int) -> Iterator[NDArray[np.intp]]:
    step = max(1, _CELLS // max(blocks * inputs, min(blocks, MAX_BLOCKS) ** 2 // 2, 1))
    yield from (others[start : start + step] for start in range(0, len(others), step))
