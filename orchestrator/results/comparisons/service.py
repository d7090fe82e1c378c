"""Comparison of runs, or of parts of runs, with the first one."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from orchestrator.database.models import Run
from orchestrator.results.answers import repository as answers
from orchestrator.results.answers.agents import WITHDRAWN
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.facts import facts_of_agents
from orchestrator.results.answers.readings import ReadingsCache, RunReadings
from orchestrator.results.comparisons import sentence
from orchestrator.results.comparisons.changes import changes
from orchestrator.results.comparisons.facts import side_facts
from orchestrator.results.comparisons.measured import compared_measures, measured_cases
from orchestrator.results.comparisons.pairs import Result, Side, adjust, compare_cases, row_of
from orchestrator.results.comparisons.schemas import (
    ComparisonPart,
    ComparisonRow,
    ComparisonSide,
    ComparisonVerdict,
    RunComparison,
)
from orchestrator.results.comparisons.sides import (
    Matching,
    SideName,
    fastest_variants,
    match,
    parse_side,
    select_cases,
    titles,
)
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.runs.repository import require_run
from orchestrator.shared.errors import Conflict, InvalidRequest
from orchestrator.shared.units import format_size

_VERDICT_ORDER: tuple[ComparisonVerdict, ...] = ("worse", "better", "undecided", "tie")


@dataclass(frozen=True)
class Source:
    """A run, or a part of it, and a transaction of the database that stores it: the service's, or that of a bundle."""

    session: Session
    cache: ReadingsCache
    name: SideName
    run: Run

    @classmethod
    def of(cls, session: Session, cache: ReadingsCache, text: str) -> "Source":
        """Return the source that a text of `parse_side` names.

        Raises InvalidRequest, and NotFound for a run that does not exist or was deleted.
        """
        name = parse_side(text)
        return cls(session, cache, name, require_run(session, name.run_id))

    def readings(self, measure: RankingMeasure | None = None) -> RunReadings:
        """Return the readings of a measure, by default the times."""
        return self.cache.get(self.session, self.run.id, measure=measure)


def compare_runs(
    session: Session,
    cache: ReadingsCache,
    names: Sequence[str],
    measure: RankingMeasure | None,
    rows: int,
    *,
    units: Collection[str] = (),
) -> RunComparison:
    """Return how the sides compare with the first one, case by case, corrected together.

    names: texts of parse_side; one alone has no parts. units: of which the measure must be, each. Raises
    InvalidRequest, NotFound for a run that does not exist or was deleted, and Conflict for runs that share nothing.
    """
    sources = [Source.of(session, cache, name) for name in names]
    available = common_measures(sources)
    measures = [one for one in available if set(units) <= {MEASURES[one].unit}]
    if not measures:
        raise Conflict(
            f"No measure of run {sources[0].run.id} is in {' and '.join(sorted(units))}: "
            f"it has {', '.join(available)[:200]}.",
            remedy="Choose a series in the unit of a measure, or another run.",
            field="run",
        )
    require_measure(measure, measures)
    found = compare_sources(sources, [measure or measures[0]], rows)[0]
    return found.model_copy(update={"measures": measures})


def require_measure(measure: RankingMeasure | None, measures: Sequence[RankingMeasure]) -> None:
    """Raise InvalidRequest for a measure that is none of these, by which the runs can be compared."""
    if measure is not None and measure not in measures:
        raise InvalidRequest(
            f"The runs cannot be compared by {measure}.", remedy=f"Use {', '.join(measures)}.", field="measure"
        )


@dataclass(frozen=True)
class _Part:
    """One of the other sides, compared with the first one."""

    other: Side
    matching: Matching
    results: list[Result]


@dataclass(frozen=True)
class _ByMeasure:
    """The first side and the others, compared by a measure."""

    measure: RankingMeasure
    first: Side
    parts: list[_Part]


def compare_sources(sources: Sequence[Source], measures: Sequence[RankingMeasure], rows: int) -> list[RunComparison]:
    """Return how the others compare with the first, for each of some common measures; all cases are corrected together.

    Raises Conflict if the sources share no case.
    """
    available = common_measures(sources)
    compared = [_compare([measured_side(source, measure) for source in sources], measure) for measure in measures]
    count = adjust([part.results for one in compared for part in one.parts])
    return [_comparison(one, available, count, rows) for one in compared]


def _compare(sides: Sequence[Side], measure: RankingMeasure) -> _ByMeasure:
    providers = [{case.candidate.provider for case in side.cases} for side in sides]
    if all(len(own) == 1 for own in providers) and len(set.union(*providers)) > 1:
        # Of two providers, each is compared with its best variant of an algorithm.
        rises = MEASURES[measure].rises
        sides = [replace(side, cases=fastest_variants(side.cases, rises=rises)) for side in sides]
    first, *others = sides
    matchings = [match(first.cases, other.cases, (first.name.label, other.name.label)) for other in others]
    parts = [
        _Part(other, one, [compare_cases(first, other, *pair) for pair in one.pairs])
        for other, one in zip(others, matchings, strict=True)
    ]
    return _ByMeasure(measure, first, parts)


def _comparison(one: _ByMeasure, measures: list[RankingMeasure], count: int, rows: int) -> RunComparison:
    sides = (one.first, *(part.other for part in one.parts))
    names = titles([(side.name, side.run.name, side.run.submitted_at) for side in sides])
    first, *others = (side.summary(title) for side, title in zip(sides, names, strict=True))
    return RunComparison(
        measure=one.measure,
        unit=MEASURES[one.measure].unit,
        measures=measures,
        first=first,
        parts=[_part(one, part, first, shown, rows) for part, shown in zip(one.parts, others, strict=True)],
        comparisons=count,
    )


def common_measures(sources: Sequence[Source]) -> list[RankingMeasure]:
    """Return the measures with an error that all sources have, the default first; raises Conflict for none."""
    of_each = [compared_measures(source.readings()) for source in sources]
    common = [one for one in of_each[0] if all(one in own for own in of_each[1:])]
    if not common:
        has = "; ".join(
            f"{source.run.id} has {', '.join(own[:3]) or _without_measure(source)}"
            for source, own in zip(sources, of_each, strict=True)
        )
        raise Conflict(
            f"The runs share no measure: {has}.",
            remedy="Compare runs that measured ciphers by one protocol, after their first results.",
        )
    return common


def _without_measure(source: Source) -> str:
    overheads = answers.noop_cases(source.session, source.run.id)
    return "only the overhead of a process (noop)" if overheads else "no results"


def measured_side(source: Source, measure: RankingMeasure) -> Side:
    """Return the cases of a side with a reading of the measure; raises Conflict if there is none."""
    session, run = source.session, source.run
    cases = measured_cases(session, source.readings(measure), measure)
    kept = select_cases(source.name, cases, f"verified result of {measure}")
    floors: dict[str, float | None] = {}
    for agent_id, facts in facts_of_agents(session, run.id, {case.candidate for case in kept}).items():
        if facts.withdrawn:
            raise Conflict(
                f"The results of {facts.agent_name} in run {run.id} are {WITHDRAWN}.",
                remedy="Choose another agent, or trust it again as an admin: "
                f"ciphermark agents trust {facts.agent_name}.",
            )
        floors[agent_id] = facts.noise_floor.relative if MEASURES[measure].timed else None
    return Side(session, source.name, run, kept, floors)


def _part(compared: _ByMeasure, one: _Part, first: ComparisonSide, other: ComparisonSide, limit: int) -> ComparisonPart:
    matching, measure, sides = one.matching, compared.measure, (compared.first, one.other)
    rows = [row_of(*pair, result, measure) for pair, result in zip(matching.pairs, one.results, strict=True)]
    inputs = [case.given for case, _ in matching.pairs]
    # Several operations and lengths have no common ratio between two providers: the sentence is about one of them.
    question = Question().narrowed(inputs) if "provider" in matching.crossed else Question()
    answers = [(row, question.includes(given)) for row, given in zip(rows, inputs, strict=True)]
    answers.sort(key=lambda one: (not one[1], _VERDICT_ORDER.index(one[0].verdict) // 2, -abs(math.log(one[0].ratio))))
    rows = [row for row, _ in answers]
    counted = [row for row, included in answers if included]
    pairings = {row.method != "unpaired" for row in rows}
    seeded = any("seed" in side.run.plan for side in sides)
    before, after = (
        side_facts(side.session, side.run, [pair[place] for pair in matching.pairs], matching.crossed, seeded=seeded)
        for place, side in enumerate(sides)
    )
    part = ComparisonPart(
        other=other,
        paired="partly" if len(pairings) > 1 else "yes" if True in pairings else "no",
        method=sentence.method_of(rows),
        rows=rows,
        rows_total=len(rows),
        **_counts(rows),
        only_first=matching.only_first,
        only_other=matching.only_other,
        crossed=list(matching.crossed),
        changes=changes(before, after),
    )
    summed = part.model_copy(update={"rows": counted, "rows_total": len(counted), **_counts(counted)})
    text = sentence.summary_of(summed, first, measure, scope=_scope(counted) if question.ranked_operation else "")
    return part.model_copy(update={"sentence": text, "rows": rows[:limit]})


def _counts(rows: Sequence[ComparisonRow]) -> dict[str, int]:
    found = Counter(row.verdict for row in rows)
    return {"better": found["better"], "worse": found["worse"], "ties": found["tie"], "undecided": found["undecided"]}


def _scope(rows: Sequence[ComparisonRow]) -> str:
    """Return the operation and the length that all these rows have: ``encrypt, 24 B``."""
    return f"{rows[0].operation}, {format_size(rows[0].length_bytes)}"
