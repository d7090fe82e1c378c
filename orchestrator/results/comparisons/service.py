"""Comparison of runs, or of parts of runs, with the first one."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Run
from orchestrator.errors import Conflict, InvalidRequest, NotFound
from orchestrator.results.answers import repository as answers
from orchestrator.results.answers.facts import agent_facts, build_facts
from orchestrator.results.answers.readings import TIMES, ReadingsCache, RunReadings
from orchestrator.results.comparisons import sentence
from orchestrator.results.comparisons.changes import changes
from orchestrator.results.comparisons.facts import side_facts
from orchestrator.results.comparisons.schemas import (
    ComparisonPart,
    ComparisonRow,
    ComparisonSide,
    ComparisonVerdict,
    Method,
    RunComparison,
)
from orchestrator.results.comparisons.sides import (
    DIMENSIONS,
    SYNTAX,
    Matching,
    MeasuredCase,
    SideName,
    match,
    parse_side,
)
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import Interval, RankingMeasure
from orchestrator.runs.repository import get_run
from orchestrator.statistics.comparisons.two_sample import compare_samples
from orchestrator.statistics.holm import holm
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import Interval as Limits
from orchestrator.statistics.paired import compare, verdict_of

MIN_SIDES, MAX_SIDES = 2, 8
_VERDICT_ORDER: tuple[ComparisonVerdict, ...] = ("worse", "better", "undecided", "tie")


@dataclass(frozen=True)
class Side:
    """One side with its cases and what else its run stores."""

    name: SideName
    run: Run
    cases: Sequence[MeasuredCase]
    noise_floors: Mapping[str, float | None]
    """Relative, by agent id; None if the agent has none, or the measure is no time."""

    def summary(self) -> ComparisonSide:
        """Return the side as responses show it."""
        return ComparisonSide(
            label=self.name.label,
            run_id=self.run.id,
            run_name=self.run.name,
            submitted_at=self.run.submitted_at,
            agents=sorted({case.agent for case in self.cases}),
            toolchains=sorted({case.toolchain for case in self.cases}),
            cases=len(self.cases),
        )


@dataclass(frozen=True)
class _Result:
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


def compare_runs(
    database: Database, cache: ReadingsCache, names: Sequence[str], measure: RankingMeasure | None, rows: int
) -> RunComparison:
    """Return how the sides compare with the first one, case by case, corrected together.

    names: 2 to 8 texts of parse_side. Raises InvalidRequest, NotFound for a run that does not exist or was deleted, and
    Conflict for runs that share nothing.
    """
    if not MIN_SIDES <= len(names) <= MAX_SIDES:
        raise InvalidRequest(
            f"A comparison has {MIN_SIDES} to {MAX_SIDES} sides, got {len(names)}.", remedy=SYNTAX, field="run"
        )
    requested = [parse_side(name) for name in names]
    require_runs(database, requested)
    times = [cache.get(name.run_id) for name in requested]
    measures = _common_measures(requested, times)
    chosen = measure or measures[0]
    if chosen not in measures:
        raise InvalidRequest(
            f"The runs cannot be compared by {chosen}.", remedy=f"Use {', '.join(measures)}.", field="measure"
        )
    readings = [
        own if chosen in TIMES else cache.get(name.run_id, further=chosen)
        for name, own in zip(requested, times, strict=True)
    ]
    with database.read() as session:
        first, *others = (
            measured_side(session, name, own, chosen) for name, own in zip(requested, readings, strict=True)
        )
        matchings = [match(first.cases, other.cases) for other in others]
        found = [
            [_compared(first, other, *pair) for pair in one.pairs] for other, one in zip(others, matchings, strict=True)
        ]
        count = _adjust(found)
        parts = [
            _part(session, first, other, matching, results, measure=chosen, limit=rows)
            for other, matching, results in zip(others, matchings, found, strict=True)
        ]
        return RunComparison(
            measure=chosen,
            unit=MEASURES[chosen].unit,
            measures=measures,
            first=first.summary(),
            parts=parts,
            comparisons=count,
        )


def require_runs(database: Database, names: Sequence[SideName]) -> None:
    """Raise NotFound for runs that do not exist or were deleted."""
    with database.read() as session:
        missing = [name.run_id for name in names if get_run(session, name.run_id) is None]
    if missing:
        there = [name.run_id for name in names if name.run_id not in missing]
        others = f" {', '.join(dict.fromkeys(there))} exists." if len(set(there)) == 1 else ""
        raise NotFound(
            f"There is no run {', '.join(repr(one[:40]) for one in dict.fromkeys(missing))}: "
            f"it was deleted or never existed.{others}",
            remedy="Compare with another run: ciphermark runs list.",
        )


def _common_measures(names: Sequence[SideName], readings: Sequence[RunReadings]) -> list[RankingMeasure]:
    of_each = [[one for one in own.measures() if not MEASURES[one].exact] for own in readings]
    common = [one for one in of_each[0] if all(one in own for own in of_each[1:])]
    if not common:
        has = "; ".join(
            f"{name.run_id} has {', '.join(own[:3]) or 'no results'}" for name, own in zip(names, of_each, strict=True)
        )
        raise Conflict(
            f"The runs share no measure: {has}.", remedy="Compare runs of one protocol, after their first results."
        )
    return common


def measured_side(session: Session, name: SideName, readings: RunReadings, measure: RankingMeasure) -> Side:
    """Return the cases of a side with a reading of the measure; raises Conflict if there is none."""
    run = session.get_one(Run, name.run_id)
    candidates = readings.candidates(measure)
    agents = answers.agent_names(session, readings.agent_ids(measure))
    builds = build_facts(session, {candidate.build_id for candidate in candidates})
    cases = [
        MeasuredCase(candidate, given, values, agents[candidate.agent_id], builds[candidate.build_id].toolchain)
        for candidate, own in sorted(candidates.items(), key=lambda item: item[0])
        for given, values in sorted(own.of(measure).items(), key=lambda item: item[0])
        if np.isfinite(values).any() and not (own.counts.wrong or own.counts.disputed)
    ]
    kept = [case for case in cases if all(case.value_of(one) == value for one, value in name.selected.items())]
    if not kept:
        has = {one: sorted({case.value_of(one) for case in cases}) for one in name.selected or DIMENSIONS}
        offers = "; ".join(f"{one}: {', '.join(values[:5])}" for one, values in has.items() if values)
        raise Conflict(
            f"{name.label[:120]!r} has no verified result of {measure}.",
            remedy=f"Select what its run has: {offers}." if offers else "Wait for the first results of the run.",
        )
    floors: dict[str, float | None] = {}
    for agent_id in {case.candidate.agent_id for case in kept}:
        own = {case.candidate for case in kept if case.candidate.agent_id == agent_id}
        floors[agent_id] = agent_facts(session, agent_id, own).noise_floor.relative if MEASURES[measure].timed else None
    return Side(name, run, kept, floors)


def _compared(first: Side, other: Side, case: MeasuredCase, other_case: MeasuredCase) -> _Result:
    """Return the comparison of one case: other / first."""
    own, others = case.readings, other_case.readings
    own_n, other_n = int(np.isfinite(own).sum()), int(np.isfinite(others).sum())
    same_run = first.run.id == other.run.id
    if same_run and case.candidate == other_case.candidate:
        return _Result(1.0, Interval(low=1.0, high=1.0), None, own_n, other_n, "same results", None)
    floors = first.noise_floors[case.candidate.agent_id], other.noise_floors[other_case.candidate.agent_id]
    known = [floor for floor in floors if floor is not None]
    floor = max(known, default=None)
    if same_run and case.candidate.agent_id == other_case.candidate.agent_id and _common_blocks(own, others):
        paired = compare(others[:, None], own[:, None], noise_floor=floor or 0.0)
        own_floor = None if floor is None else paired.noise_floor
        return _Result(
            paired.ratio, _limits(paired.interval), paired.p, paired.blocks, paired.blocks, "paired", own_floor
        )
    samples = compare_samples(others, own)
    return _Result(samples.ratio, _limits(samples.interval), samples.p, own_n, other_n, "unpaired", floor)


def _limits(found: Limits | None) -> Interval | None:
    return None if found is None else Interval(low=found.low, high=found.high)


def _common_blocks(first: Floats, second: Floats) -> bool:
    return bool((np.isfinite(first) & np.isfinite(second)).any())


def _adjust(found: list[list[_Result]]) -> int:
    """Correct the p-values of all cases of all sides together; return their number."""
    places = [
        (part, place) for part, results in enumerate(found) for place, one in enumerate(results) if one.p is not None
    ]
    p_values = [p for part, place in places if (p := found[part][place].p) is not None]
    for (part, place), p in zip(places, holm(p_values), strict=True):
        found[part][place] = replace(found[part][place], adjusted_p=p)
    return len(places)


def _part(
    session: Session,
    first: Side,
    other: Side,
    matching: Matching,
    results: Sequence[_Result],
    *,
    measure: RankingMeasure,
    limit: int,
) -> ComparisonPart:
    rows = [_row(*pair, one, measure) for pair, one in zip(matching.pairs, results, strict=True)]
    rows.sort(key=lambda row: (_VERDICT_ORDER.index(row.verdict) // 2, -abs(math.log(row.ratio))))
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in _VERDICT_ORDER}
    pairings = {row.method != "unpaired" for row in rows}
    before, after = (
        side_facts(session, side.run, [pair[place] for pair in matching.pairs], matching.crossed)
        for place, side in enumerate((first, other))
    )
    part = ComparisonPart(
        other=other.summary(),
        paired="partly" if len(pairings) > 1 else "yes" if True in pairings else "no",
        method=sentence.method_of(rows),
        rows=rows,
        rows_total=len(rows),
        better=counts["better"],
        worse=counts["worse"],
        ties=counts["tie"],
        undecided=counts["undecided"],
        only_first=matching.only_first,
        only_other=matching.only_other,
        crossed=list(matching.crossed),
        changes=changes(before, after),
        sentence="",
    )
    text = sentence.summary_of(part, first.summary(), measure)
    return part.model_copy(update={"sentence": text, "rows": rows[:limit]})


def _row(case: MeasuredCase, other: MeasuredCase, found: _Result, measure: RankingMeasure) -> ComparisonRow:
    rises = MEASURES[measure].rises
    verdict: ComparisonVerdict = "tie"
    if found.outcome == "different":
        verdict = "better" if (found.ratio > 1) == rises else "worse"
    elif found.outcome == "undecided":
        verdict = "undecided"
    return ComparisonRow(
        agent_name=case.agent,
        other_agent_name=other.agent,
        provider=case.candidate.provider,
        other_provider=other.candidate.provider,
        algorithm=case.candidate.algorithm,
        variant=case.candidate.variant,
        other_variant=other.candidate.variant,
        **case.candidate.form.fields,
        copy_number=case.candidate.copy,
        toolchain=case.toolchain,
        other_toolchain=other.toolchain,
        input_kind=case.given.kind,
        length_bytes=case.given.length_bytes,
        operation=case.given.operation,
        key_setup=case.given.key_setup,
        associated_data_bytes=case.given.associated_data_bytes,
        value=float(np.nanmedian(case.readings)),
        other_value=float(np.nanmedian(other.readings)),
        ratio=found.ratio,
        interval=found.interval,
        n=found.n,
        other_n=found.other_n,
        method=found.method,
        noise_floor=found.noise_floor,
        adjusted_p=found.adjusted_p,
        verdict=verdict,
    )
