"""Start-up time and cost per byte: T(n) = a + b·n over input lengths, with a test for lack of fit.

The start-up time is negligible for long inputs and dominates short ones; throughput mixes both. If the cost of a byte
changes with the length (a cache is full), no line fits, and that is the result.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orchestrator.shared.errors import NoData
from orchestrator.statistics.distributions import fisher_tail
from orchestrator.statistics.location import Floats, Location, locate
from orchestrator.statistics.winsorize import winsorized

MIN_LENGTHS = 3


@dataclass(frozen=True)
class LackOfFit:
    """Deviation of the readings from the line, relative to their dispersion."""

    f: float
    p: float  # of the hypothesis that the line fits
    largest_miss: float  # maximum over lengths of |times_ns / line_ns - 1|
    worst_length_bytes: int


@dataclass(frozen=True)
class Step:
    """Cost of a byte between two adjacent lengths, ns per byte."""

    from_bytes: int
    to_bytes: int
    slope: Location


@dataclass(frozen=True)
class Scaling:
    """T(n) = a + b·n of one implementation."""

    lengths_bytes: tuple[int, ...]
    times_ns: tuple[float, ...]  # at each length: the geometric mean over blocks, winsorized
    start_up_ns: Location
    per_byte_ns: Location
    lack_of_fit: LackOfFit | None  # None below 2 blocks, which have no dispersion
    steps: tuple[Step, ...]
    blocks: int

    @property
    def bytes_per_ns(self) -> float | None:
        """Throughput without start-up; None if the cost of a byte is not distinguishable from 0."""
        cost = self.per_byte_ns
        lowest = cost.interval.low if cost.interval else cost.middle
        return 1 / cost.middle if lowest > 0 else None

    def line_ns(self, length_bytes: float) -> float:
        """Return the time that the line predicts for a length."""
        return self.start_up_ns.middle + self.per_byte_ns.middle * length_bytes


def scale(times_ns: Floats, lengths_bytes: Sequence[int]) -> Scaling:
    """Fit T(n) = a + b·n to each block, by least squares on relative errors, and return the locations of a and b.

    times_ns: shape (blocks, lengths), positive, NaN for a missing result; incomplete blocks are excluded.
    lengths_bytes: ascending, all different, at least 3. Errors are relative (weights 1/T²) because noise is a share of
    the time; otherwise the longest input would decide alone. Distant readings of a length are winsorized. Intervals
    resample the signs of the blocks (location.locate), separately for a and b.
    Lack of fit: variance of the lengths' means around their own line over that of single readings around block and
    length, F with (lengths - 2) and (blocks - 1)(lengths - 1) degrees of freedom. A block that is slower as a whole
    does not count as lack of fit. The largest miss is one of the line of a and b. Raises NoData for fewer than 3
    lengths or no complete block.
    Source: Draper and Smith, Applied Regression Analysis, 3rd ed. (1998), sections 2.1 (pure error) and 9.2 (weights).
    """
    if len(lengths_bytes) < MIN_LENGTHS:
        raise NoData(f"{len(lengths_bytes)} lengths do not show whether a line fits; measure at least {MIN_LENGTHS}.")
    complete = times_ns[np.isfinite(times_ns).all(axis=1)]
    if not len(complete):
        raise NoData("No block has a result for every length.")
    logs = winsorized(np.log(complete))
    typical = np.exp(logs.mean(axis=0))
    # Around the typical time, a relative error equals a difference of logarithms to first order. It keeps the fit
    # linear, so that the mean of the blocks' lines is the line of their means.
    relative = 1 + (logs - logs.mean(axis=0))
    sizes = np.asarray(lengths_bytes, dtype=np.float64)
    design = np.stack([1 / typical, sizes / typical], axis=1)
    coefficients = relative @ np.linalg.pinv(design).T
    blocks_ns = relative * typical
    slopes = np.diff(blocks_ns, axis=1) / np.diff(sizes)
    start_up, per_byte = locate(coefficients[:, 0]), locate(coefficients[:, 1])
    line = design @ [start_up.middle, per_byte.middle]
    return Scaling(
        lengths_bytes=tuple(lengths_bytes),
        times_ns=tuple(float(value) for value in typical),
        start_up_ns=start_up,
        per_byte_ns=per_byte,
        lack_of_fit=_lack_of_fit(relative, design, line, lengths_bytes) if len(complete) > 1 else None,
        steps=tuple(
            Step(lengths_bytes[place], lengths_bytes[place + 1], locate(slopes[:, place]))
            for place in range(len(lengths_bytes) - 1)
        ),
        blocks=len(complete),
    )


def _lack_of_fit(relative: Floats, design: Floats, line: Floats, lengths_bytes: Sequence[int]) -> LackOfFit:
    """Return F and the largest miss.

    relative: times, shape (blocks, lengths); design: shape (lengths, 2); line: the one that is shown, shape (lengths,).
    Its coefficients are medians, so that it differs from the line of the means where the blocks are skewed.
    """
    blocks, lengths = relative.shape
    means = relative.mean(axis=0)
    own_line = design @ np.linalg.lstsq(design, means, rcond=None)[0]
    single = relative - means - relative.mean(axis=1, keepdims=True) + relative.mean()
    of_fit = blocks * float(((means - own_line) ** 2).sum()) / (lengths - 2)
    of_readings = float((single**2).sum()) / ((blocks - 1) * (lengths - 1))
    misses = np.abs(means / line - 1)
    worst = int(misses.argmax())
    # Readings without dispersion are either on the line or certainly not.
    f = of_fit / of_readings if of_readings > 0 else (float("inf") if misses[worst] > _EXACT else 0.0)
    p = fisher_tail(f, lengths - 2, (blocks - 1) * (lengths - 1)) if np.isfinite(f) else 0.0
    return LackOfFit(f=f, p=p, largest_miss=float(misses[worst]), worst_length_bytes=lengths_bytes[worst])


_EXACT = 1e-9
"""Relative misses below this value are rounding errors."""
