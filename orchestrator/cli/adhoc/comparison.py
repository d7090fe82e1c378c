"""Ranking of programs: paired by round, corrected for multiple comparisons, with ties."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from orchestrator.cli.adhoc.series import ProgramSeries
from orchestrator.daemon.health.noise import noise_floor
from orchestrator.shared.errors import SetupError
from orchestrator.shared.extras import install_command


@dataclass(frozen=True)
class Behind:
    """Comparison of a program with the fastest one, or with the reference."""

    ratio: float
    """Time of the program / time of the other one, within rounds."""
    low: float | None
    """Lower limit of the 95 % interval of the ratio, for this comparison alone; None below 6 rounds."""
    high: float | None
    """Upper limit."""
    adjusted_p: float | None
    """p-value, adjusted by Holm for all comparisons."""
    verdict: str
    """``different``, ``tie`` or ``undecided`` (too few rounds)."""


@dataclass(frozen=True)
class Standing:
    """Place of a program in the ranking."""

    program: int
    """Index of the program."""
    rank: int
    """1 + the number of programs that are proven faster."""
    last_rank: int
    """Number of programs - those that are proven slower: the true rank is between the two."""
    groups: list[str]
    """Letters: two programs have one in common exactly if no difference between them is proven."""
    behind: Behind | None
    """Comparison with the fastest; None for the fastest."""
    relative: Behind | None = None
    """Comparison with the reference; None for the reference, and without one."""


def require_numpy() -> None:
    """Raise SetupError if the packages for comparing programs are missing."""
    if find_spec("numpy") is None:
        raise SetupError(
            "Comparing programs requires numpy, not installed here; measuring one program does not.",
            remedy=f"Measure the programs one by one, or install it with: {install_command('service')}",
        )


def compare_programs(
    series: ProgramSeries, programs: int, floor: float, reference: int | None = None
) -> list[Standing]:
    """Return the programs from fastest to slowest.

    programs: number of competing programs, the first ones of the series. floor: relative difference between two equal
    programs on this machine (0.01 is 1 %); a difference up to it is a tie. reference: index of a program with which
    every other one is compared, as a family of comparisons of its own.
    """
    import numpy as np  # noqa: PLC0415 - measuring one program does not need it

    from orchestrator.statistics.holm import holm  # noqa: PLC0415 - as above
    from orchestrator.statistics.paired import Comparison, compare, verdict_of  # noqa: PLC0415
    from orchestrator.statistics.ranking import rank  # noqa: PLC0415

    def behind_of(found: Comparison, p: float | None) -> Behind:
        low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
        return Behind(found.ratio, low, high, p, verdict_of(math.log(found.ratio), p, floor))

    speeds = {
        f"{program:03d}": np.array([[1e9 / one.wall_ns] for one in series.of(program)]) for program in range(programs)
    }
    relative: dict[int, Behind] = {}
    if reference is not None:
        others = [program for program in range(programs) if program != reference]
        compared = [compare(speeds[f"{reference:03d}"], speeds[f"{one:03d}"], noise_floor=floor) for one in others]
        ps = [one.p for one in compared if one.p is not None]
        adjusted: list[float | None] = [*holm(ps)] if len(ps) == len(compared) else [None] * len(compared)
        relative = {program: behind_of(found, p) for program, found, p in zip(others, compared, adjusted, strict=True)}
    standings = []
    for place in rank(speeds, noise_floor=floor):
        leader = place.behind_leader
        p = place.adjusted_p if place.adjusted_p is not None or leader is None else leader.p
        behind = None if leader is None else behind_of(leader, p)
        program = int(place.name)
        standings.append(
            Standing(program, place.rank, place.last_rank, list(place.groups), behind, relative.get(program))
        )
    return standings


def floor_of(first_ns: Sequence[int], second_ns: Sequence[int]) -> float:
    """Return the noise floor from the times of two interleaved copies of one program, by round, in nanoseconds."""
    return noise_floor([math.log(one / other) for one, other in zip(first_ns, second_ns, strict=True)])
