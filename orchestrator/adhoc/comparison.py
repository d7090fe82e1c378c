"""Which program is faster, and how sure that is: paired by round, corrected for all comparisons, ties called ties."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from orchestrator.adhoc.series import Series
from orchestrator.daemon.health.noise import noise_floor
from orchestrator.errors import SetupError


@dataclass(frozen=True)
class Behind:
    """How a program stands to the fastest one."""

    ratio: float
    """Its time / that of the fastest, within rounds."""
    low: float | None
    """Limits of its 95 % interval, for this comparison alone; None below 6 rounds."""
    high: float | None
    adjusted_p: float | None
    """By Holm, over all comparisons that were made."""
    verdict: str
    """``different``, ``tie`` or ``undecided`` (too few rounds)."""


@dataclass(frozen=True)
class Standing:
    """Where a program stands."""

    program: int
    """Its place among the programs."""
    rank: int
    """1 is the fastest; what cannot be told apart shares a rank."""
    tied: bool
    behind: Behind | None
    """None for the fastest."""


def require_numpy() -> None:
    """Raise SetupError where comparing is not possible, before anything is measured."""
    missing = [name for name in ("numpy", "scipy") if find_spec(name) is None]
    if missing:
        raise SetupError(
            f"Comparing programs needs {' and '.join(missing)}, not installed here; one program alone does not.",
            remedy="pip install 'ciphermark[service]', or measure the programs one by one.",
        )


def compare_programs(series: Series, programs: int, floor: float) -> list[Standing]:
    """Return the programs from fastest to slowest.

    programs: how many of the series compete, the first ones. floor: the relative difference that the same program
    shows against itself here (0.01 is 1 %); what is not beyond it is a tie.
    """
    import numpy as np  # noqa: PLC0415 - one program alone is measured without it

    from orchestrator.statistics.paired import verdict_of  # noqa: PLC0415 - likewise
    from orchestrator.statistics.ranking import rank  # noqa: PLC0415

    speeds = {
        f"{program:03d}": np.array([[1e9 / one.wall_ns] for one in series.of(program)]) for program in range(programs)
    }
    standings = []
    for place in rank(speeds, noise_floor=floor):
        found, behind = place.behind_leader, None
        if found is not None:
            p = place.adjusted_p if place.adjusted_p is not None else found.p
            verdict = verdict_of(math.log(found.ratio), p, floor)
            low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
            behind = Behind(found.ratio, low, high, p, verdict)
        standings.append(Standing(int(place.name), place.rank, place.tied, behind))
    return standings


def floor_of(first_ns: Sequence[int], second_ns: Sequence[int]) -> float:
    """Return the noise floor of two interleaved copies of one program: their times by round, nanoseconds."""
    return noise_floor([math.log(one / other) for one, other in zip(first_ns, second_ns, strict=True)])
