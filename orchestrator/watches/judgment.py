"""Suspects and changes of a look, from the values of its runs and of those that it is compared with. Pure.

The statistics are those of statistics/comparisons/between_runs.py.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from orchestrator.statistics.comparisons.between_runs import (
    CONFIRMATIONS,
    MIN_NEW,
    SUSPICION,
    WINDOW,
    RunDifferences,
    compare_runs,
    error_level,
    suspects,
)
from orchestrator.statistics.location import Floats

__all__ = ["WINDOW", "FirstJudgment", "FoundChange", "References", "by_level", "decide", "judge_first", "remaining"]


@dataclass(frozen=True)
class References:
    """Runs that the new ones are compared with, as values by case."""

    case_ids: Sequence[int]
    reference: Floats
    """Runs that the new ones are compared with, shape (runs, cases); NaN for a missing value."""
    others: Sequence[Floats] = ()
    """Further groups of runs, which show the variation."""
    reported: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    """Limits of the reported changes against the baseline that last, as ratios by case."""

    @property
    def known(self) -> int:
        """Number of runs that show the variation of the case that has the most; of a group, one shows its level."""
        counts = [np.isfinite(group).sum(axis=0) for group in (self.reference, *self.others)]
        freedoms = sum(np.maximum(count - 1, 0) for count in counts)
        return int(np.max(freedoms + (sum(counts) > 0), initial=0))

    def compare(self, new: Floats) -> RunDifferences:
        """Return the differences of new runs."""
        return compare_runs(new, self.reference, self.others)


def by_level(table: Floats, numbers: Sequence[int], levels: Sequence[Sequence[int]]) -> list[Floats]:
    """Return the values of former runs by the level of their case: those since its last change, those before it, …

    table: shape (runs, cases), NaN for a missing value; numbers: of the looks of the runs. levels: for each case, the
    looks that found a new level, ascending; their own first runs are left out, because they were chosen by their value.
    """
    ages = np.full(table.shape, -1)
    for place, own in enumerate(levels):
        ages[:, place] = len(own) - np.searchsorted(own, numbers, side="left") if own else 0
        ages[np.isin(numbers, own), place] = -1
    return [np.where(ages == age, table, np.nan) for age in range(1 + max(map(len, levels), default=0))]


@dataclass(frozen=True)
class FirstJudgment:
    """Suspects of a look after its first run."""

    cases: int
    """Cases with a value; the correction is for them."""
    compared: int
    """Those that a former run has, too."""
    suspects: list[int]
    undecided: list[int]
    """Cases without a change that could be reported: too few former runs have them."""
    detectable: float | None
    """Relative change that is found in half of the cases at least, after confirmations; None if all are undecided."""
    recovered: list[int] = field(default_factory=list)
    """Cases with a reported change against the baseline that do not deviate from it any more."""


@dataclass(frozen=True)
class FoundChange:
    """A change of one case that is reported."""

    case_id: int
    ratio: float
    low: float
    high: float
    worse: bool
    new_runs: int
    former_runs: int


def judge_first(new: Floats, references: References) -> FirstJudgment:
    """Return the suspects of a look's first run.

    new: its values, shape (cases,). A case whose change was reported is no suspect as long as it agrees with that.
    """
    found = references.compare(new[None])
    compared = np.isfinite(found.log_ratios)
    known = _agrees_with_report(found, references)
    deviates = suspects(found)
    doubtful = deviates & ~known
    cases = int(np.isfinite(new).sum())
    later = references.compare(np.repeat(new[None], 1 + CONFIRMATIONS, axis=0))
    sizes = later.detectable(error_level(cases))
    sizes = sizes[np.isfinite(sizes)]
    return FirstJudgment(
        cases=cases,
        compared=int(compared.sum()),
        suspects=[references.case_ids[place] for place in map(int, np.flatnonzero(doubtful))],
        undecided=[
            references.case_ids[place]
            for place in map(int, np.flatnonzero(np.isfinite(new) & (~compared | (found.freedoms == 0))))
        ],
        detectable=math.expm1(float(np.median(sizes))) if sizes.size else None,
        recovered=[
            case_id
            for place, case_id in enumerate(references.case_ids)
            if case_id in references.reported and compared[place] and not deviates[place]
        ],
    )


def remaining(new: Floats, references: References, suspected: Sequence[int]) -> list[int]:
    """Return the suspects that still deviate in all runs of the look together, shape (runs, cases)."""
    deviates = suspects(references.compare(new))
    still = {case_id for place, case_id in enumerate(references.case_ids) if deviates[place]}
    return [case_id for case_id in suspected if case_id in still]


def decide(
    new: Floats, references: References, suspected: Sequence[int], cases: int, *, rises: bool
) -> list[FoundChange]:
    """Return the changes of the suspects after their confirmations, the largest first.

    new: values of all runs of the look, shape (runs, cases). cases: those that were compared. rises: more is better.
    """
    found = references.compare(new)
    low, high = found.limits(error_level(cases))
    counts, news = (np.isfinite(values).sum(axis=0) for values in (references.reference, new))
    kept = set(suspected)
    changes = [
        FoundChange(
            case_id=case_id,
            ratio=math.exp(found.log_ratios[place]),
            low=math.exp(low[place]),
            high=math.exp(high[place]),
            worse=(found.log_ratios[place] > 0) != rises,
            new_runs=int(news[place]),
            former_runs=int(counts[place]),
        )
        for place, case_id in enumerate(references.case_ids)
        if case_id in kept and news[place] >= MIN_NEW and (low[place] > 0 or high[place] < 0)
    ]
    return sorted(changes, key=lambda one: -abs(math.log(one.ratio)))


def _agrees_with_report(found: RunDifferences, references: References) -> NDArray[np.bool_]:
    """Return which cases have a reported change that contains what is seen now."""
    agrees = np.zeros(len(references.case_ids), dtype=np.bool_)
    low, high = found.limits(SUSPICION)
    for place, case_id in enumerate(references.case_ids):
        reported = references.reported.get(case_id)
        if reported is not None:
            agrees[place] = low[place] <= math.log(reported[1]) and math.log(reported[0]) <= high[place]
    return agrees
