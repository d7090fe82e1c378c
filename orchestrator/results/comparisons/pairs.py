"""Comparison of the cases of two sides, one by one, and their correction together."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy.orm import Session

from orchestrator.database.models import Run
from orchestrator.results.comparisons.schemas import ComparisonRow, ComparisonSide, ComparisonVerdict, Method
from orchestrator.results.comparisons.sides import MeasuredCase, SideName
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.results.schemas import Interval
from orchestrator.statistics.comparisons.two_sample import compare_samples
from orchestrator.statistics.holm import holm
from orchestrator.statistics.paired import compare, verdict_of


@dataclass(frozen=True)
class Side:
    """One side with its cases and what else its run stores."""

    session: Session
    name: SideName
    run: Run
    cases: Sequence[MeasuredCase]
    noise_floors: Mapping[str, float | None]
    """Relative, by agent id; None if the agent has none, or the measure is no time."""

    def summary(self, title: str) -> ComparisonSide:
        """Return the side as the API shows it."""
        return ComparisonSide(
            label=self.name.label,
            title=title,
            run_id=self.run.id,
            run_name=self.run.name,
            submitted_at=self.run.submitted_at,
            agents=sorted({case.agent for case in self.cases}),
            toolchains=sorted({case.toolchain for case in self.cases}),
            cases=len(self.cases),
        )


@dataclass(frozen=True)
class Result:
    """Comparison of one case."""

    ratio: float
    interval: Interval | None
    p: float | None
    n: int
    other_n: int
    method: Method
    noise_floor: float | None
    adjusted_p: float | None = None

    @property
    def outcome(self) -> str:
        """different, tie or undecided."""
        if self.method == "same results":
            return "tie"
        return verdict_of(math.log(self.ratio), self.adjusted_p, self.noise_floor or 0.0)


def compare_cases(first: Side, other: Side, case: MeasuredCase, other_case: MeasuredCase) -> Result:
    """Return the comparison of one case: other / first."""
    own, others = case.readings, other_case.readings
    own_n, other_n = int(np.isfinite(own).sum()), int(np.isfinite(others).sum())
    same_run = first.session is other.session and first.run.id == other.run.id
    if same_run and case.candidate == other_case.candidate:
        return Result(1.0, Interval(low=1.0, high=1.0), None, own_n, other_n, "same results", None)
    floors = first.noise_floors[case.candidate.agent_id], other.noise_floors[other_case.candidate.agent_id]
    known = [floor for floor in floors if floor is not None]
    floor = max(known, default=None)
    same_agent = same_run and case.candidate.agent_id == other_case.candidate.agent_id
    if same_agent and (np.isfinite(own) & np.isfinite(others)).any():
        paired = compare(others[:, None], own[:, None], noise_floor=floor or 0.0)
        own_floor = None if floor is None else paired.noise_floor
        return Result(
            paired.ratio, Interval.of(paired.interval), paired.p, paired.blocks, paired.blocks, "paired", own_floor
        )
    samples = compare_samples(others, own)
    return Result(samples.ratio, Interval.of(samples.interval), samples.p, own_n, other_n, "unpaired", floor)


def adjust(found: list[list[Result]]) -> int:
    """Correct the p-values of all cases of all sides and measures together; return their number."""
    p_values = [one.p for results in found for one in results if one.p is not None]
    adjusted = iter(holm(p_values))
    for results in found:
        results[:] = [one if one.p is None else replace(one, adjusted_p=next(adjusted)) for one in results]
    return len(p_values)


def row_of(case: MeasuredCase, other: MeasuredCase, found: Result, measure: RankingMeasure) -> ComparisonRow:
    """Return a compared case as the API shows it; better and worse are those of the other side."""
    rises = MEASURES[measure].rises
    verdict: ComparisonVerdict = "tie"
    if found.outcome == "different":
        verdict = "better" if (found.ratio > 1) == rises else "worse"
    elif found.outcome == "undecided":
        verdict = "undecided"
    return ComparisonRow(
        agent_name=case.agent,
        other_agent_name=other.agent,
        **case.fields,
        other_provider=other.candidate.provider,
        other_variant=other.candidate.variant,
        other_toolchain=other.toolchain,
        value=float(np.nanmedian(case.readings)),
        other_value=float(np.nanmedian(other.readings)),
        verdict=verdict,
        **vars(found),
    )
