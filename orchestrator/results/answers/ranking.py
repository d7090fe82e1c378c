"""The answer of one agent: its candidates ranked with ties, and a summary sentence.

Candidates are compared pair by pair, over the inputs that both have and within the same blocks. A candidate with too
little in common with the others is listed below them without a rank, with the reason. Tables of emulated agents have no
ranks: their times mean nothing.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from orchestrator.results.answers import sentence, trends
from orchestrator.results.answers.agents import AgentFacts, AgentReadings
from orchestrator.results.answers.decision.constant_time import timing_warning
from orchestrator.results.answers.decision.constraints import missing_kinds, nearest, size_values
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.readings import Candidate, CandidateReadings
from orchestrator.results.answers.selection import Compared, compared, compared_exactly, violated
from orchestrator.results.answers.table import AnswerTable, candidate_name, input_summary
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.results.schemas import AgentAnswer, FrontPoint, ParetoFront
from orchestrator.shared.values.text import some
from orchestrator.statistics.ranking import Place, Ranking, rank_together
from orchestrator.statistics.rankings.front import Front
from orchestrator.wire.messages import OperationName

_FRONT_NAMED = 4
"""Members of a front in its sentence; the table has all of them."""
Once = Callable[[Hashable, Callable[[], Any]], Any]
"""A cache of results: returns the one under a key, computed by the first call."""


def answer_together(
    agents: Sequence[AgentReadings],
    question: Question,
    measure: RankingMeasure,
    once: Once = lambda _key, compute: compute(),
) -> list[AgentAnswer]:
    """Return the answer for each agent; the comparisons of all of them are corrected as one family.

    Candidates that the question does not select take no part: neither in a comparison, nor in the family, nor in the
    choice of inputs. The answer is that of a run without them.

    once: keeps selections and rankings of the same readings; noise floors and footprints, which can change, are part of
    their keys.
    """
    agents = [
        replace(one, candidates=question.selected(one.candidates), against=question.selected(one.against))
        for one in agents
    ]
    allowed = [violated(one.agent, {*one.candidates, *one.against}, question) for one in agents]
    tables = [
        _table(one, one.candidates, kept, measure, question=question, once=once)
        for one, kept in zip(agents, allowed, strict=True)
    ]
    others: list[AnswerTable] = []
    if question.against is not None:
        others = [
            _table(one, one.against, kept, question.against, question=question, once=once)
            for one, kept in zip(agents, allowed, strict=True)
        ]
    fields = {str(place): table.field() for place, table in enumerate(tables)}
    fields |= {f"{place} against": table.field() for place, table in enumerate(others)}
    fronts = [(str(place), f"{place} against") for place in range(len(others))]
    key = ("ranking", *(table.key for table in (*tables, *others)))
    ranking: Ranking = once(key, lambda: rank_together(fields, fronts))
    found = []
    for place, table in enumerate(tables):
        one = _answer(table, ranking.places[str(place)], ranking.comparisons, question)
        if others:
            of_both = [ranking.places[name] for name in fronts[place]]
            front = _front_of((table, others[place]), ranking.fronts[fronts[place]], of_both)
            one = one.model_copy(update={"front": front})
        found.append(one)
    return found


def _table(
    readings: AgentReadings,
    candidates: Mapping[Candidate, CandidateReadings],
    obstacles: Mapping[Candidate, list[str]],
    measure: RankingMeasure,
    *,
    question: Question,
    once: Once,
) -> AnswerTable:
    kept = {one: own for one, own in candidates.items() if not obstacles[one]}
    found: Compared
    values: dict[Candidate, float] = {}
    if MEASURES[measure].exact:
        sizes = {one: _exact_value(readings.agent, one, measure, question.operation) for one in kept}
        found = compared_exactly(kept, {one: value for one, (value, _) in sizes.items()},
                                 {one: reason for one, (_, reason) in sizes.items()})  # fmt: skip
        values = {one: value for one in found.candidates if (value := sizes[one][0]) is not None}
    else:
        key = (
            "compared",
            readings.agent.agent_id,
            measure,
            question.length_bytes,
            question.ranked_operation,
            question.key_setup,
            tuple(kept),
        )
        found = once(key, lambda: compared(kept, measure, question.includes))
    excluded = {one: reasons for one, reasons in obstacles.items() if reasons and one in candidates}
    return AnswerTable(readings, kept, found, measure, values, excluded)


def _exact_value(
    agent: AgentFacts, candidate: Candidate, measure: RankingMeasure, operation: OperationName | None
) -> tuple[float | None, str]:
    """Return the value of a measure without readings, and the reason if it is None."""
    if MEASURES[measure].source == "source":
        source, reason = agent.source(candidate)
        return (source.source_lines if source else None), reason
    footprint = agent.constraint_values(candidate)[1]
    value = size_values(footprint, operation)[MEASURES[measure].title]
    return value, "" if value is not None else footprint.reason or "a part of it was not measured"


def _answer(table: AnswerTable, ranked: Sequence[Place], comparisons: int, question: Question) -> AgentAnswer:
    agent, candidates = table.readings.agent, table.candidates
    rows = table.rows(ranked)
    result = AgentAnswer.from_row(
        agent,
        noise_floor=table.noise_floor,
        measure=table.measure,
        unit=MEASURES[table.measure].unit,
        inputs=input_summary(table.compared.inputs),
        blocks=max((len(next(iter(one.of(table.measure).values()), ())) for one in candidates.values()), default=0),
        trend=trends.agent_trend(table.readings.trend, agent.noise_floor.relative),
        comparisons=comparisons,
        overheads=list(table.readings.overheads),
        times="",
        sentence="",
        rows=rows,
        rows_total=len(rows),
        excluded=agent.excluded(table.excluded),
        front=None,
    )
    text = _nothing_meets(table, question) or sentence.summary_of(result)
    remark = table.beaten_defaults(ranked)
    return result.model_copy(update={"sentence": f"{text} {remark}".rstrip(), "rows": rows[: question.rows]})


def _nothing_meets(table: AnswerTable, question: Question) -> str:
    """Return what the candidates have where the constraints exclude all of them; empty otherwise."""
    if table.candidates or not table.excluded:
        return ""
    agent, count = table.readings.agent, len(table.excluded)
    values = {one: agent.constraint_values(one) for one in table.excluded}
    footprints = {table.readings.agent.label(one): footprint for one, (_, footprint) in values.items()}
    found = missing_kinds(question.constraints, [facts for facts, _ in values.values()])
    found += nearest(question.constraints, footprints, question.operation)
    text = (
        f"On {agent.device} none of the {count} candidates meets the constraints "
        f"({', '.join(question.constraints.labels)})"
    )
    advice = "Loosen one of the constraints; the list of excluded candidates has the reason of each."
    return f"{text}{': ' + '; '.join(found) if found else ''}. {advice}"


def _front_of(tables: tuple[AnswerTable, AnswerTable], found: Front, ranked: Sequence[Sequence[Place]]) -> ParetoFront:
    """Return the Pareto front of the candidates that have the measures of both tables; ranked: the places by each."""
    agent = tables[0].readings.agent
    by_name = {candidate_name(one): one for one in tables[0].candidates}
    labels = {name: agent.label(one) for name, one in by_name.items()}
    figures = [
        {place.name: one.figures(by_name[place.name], place) for place in places if place.name in by_name}
        for one, places in zip(tables, ranked, strict=True)
    ]
    points = []
    for name in (*found.members, *found.dominated):
        dominator = found.dominated.get(name)
        first, second = (of_measure[name] for of_measure in figures)
        points.append(
            FrontPoint(
                **agent.identity(by_name[name]),
                value=first["value"],
                interval=first.get("interval"),
                against_value=second["value"],
                against_interval=second.get("interval"),
                on_front=dominator is None,
                dominated_by=None if dominator is None else labels[dominator],
                tied_with=[labels[one] for one in found.ties.get(name, ())],
            )
        )
    members = [one for one in points if one.on_front]
    measure, against = (MEASURES[one.measure] for one in tables)
    named = [f"{one.algorithm} by {one.provider}" for one in members]
    return ParetoFront(
        against=tables[1].measure,
        unit=against.unit,
        points=points,
        sentence=_front_sentence(named, len(points), measure.title, against.title) + timing_warning(members),
    )


def _front_sentence(members: list[str], count: int, first: str, second: str) -> str:
    if not members:
        return f"No candidate can be compared by both {first} and {second}."
    shown = some(list(dict.fromkeys(members)), _FRONT_NAMED)
    if len(members) == count:
        return f"No candidate dominates another one in {first} and {second}: {shown}."
    return (
        f"{len(members)} of {count} candidates are on the Pareto front of {first} and {second}: {shown}. "
        "Each other candidate is worse than one of them in one measure and not better in the other."
    )
