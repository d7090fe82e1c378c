"""The answer of one agent: its candidates ranked with ties, and a summary sentence.

Candidates are compared pair by pair, over the inputs that both have and within the same blocks. A candidate with too
little in common with the others is listed below them without a rank, with the reason. Tables of emulated agents have no
ranks: their times mean nothing.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from orchestrator.results.answers import sentence, trends
from orchestrator.results.answers.agents import AgentFacts, AgentReadings
from orchestrator.results.answers.decision.constraints import missing_kinds, nearest, stack_bytes, violations
from orchestrator.results.answers.decision.front import Figures, Identity, front_of
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.readings import Candidate, CandidateReadings
from orchestrator.results.answers.selection import compared, compared_exactly
from orchestrator.results.answers.table import Table, candidate_name, input_summary
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import AgentAnswer, ParetoFront, RankingMeasure
from orchestrator.statistics.ranking import Place, rank_together
from orchestrator.statistics.rankings.front import Front
from orchestrator.wire.messages import OperationName

T = TypeVar("T")


class Once(Protocol):
    """A cache of results: returns the one under a key, computed by the first call."""

    def __call__(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result under this key."""
        ...


def uncached(key: Hashable, compute: Callable[[], T]) -> T:
    """Return the result without storing it."""
    del key
    return compute()


def answer(
    agent: AgentFacts, candidates: Mapping[Candidate, CandidateReadings], question: Question, measure: RankingMeasure
) -> AgentAnswer:
    """Return the answer for one agent, corrected for its own comparisons alone."""
    return answer_together([AgentReadings(agent, candidates)], question, measure)[0]


def answer_together(
    agents: Sequence[AgentReadings], question: Question, measure: RankingMeasure, once: Once = uncached
) -> list[AgentAnswer]:
    """Return the answer for each agent; the comparisons of all of them are corrected as one family.

    Candidates that the question does not select take no part: neither in a comparison, nor in the family, nor in the
    choice of inputs. The answer is that of a run without them.

    once: keeps selections and rankings of the same readings; noise floors and footprints, which can change, are part of
    their keys.
    """
    agents = [_selected(one, question) for one in agents]
    allowed = [_allowed(one, question) for one in agents]
    tables = [
        _table(one, one.candidates, kept, measure, question=question, once=once)
        for one, kept in zip(agents, allowed, strict=True)
    ]
    others: list[Table] = []
    if question.against is not None:
        others = [
            _table(one, one.against, kept, question.against, question=question, once=once)
            for one, kept in zip(agents, allowed, strict=True)
        ]
    fields = {str(place): table.field() for place, table in enumerate(tables)}
    fields |= {f"{place} against": table.field() for place, table in enumerate(others)}
    fronts = [(str(place), f"{place} against") for place in range(len(others))]
    key = ("ranking", *(table.key for table in (*tables, *others)))
    ranking = once(key, lambda: rank_together(fields, fronts))
    found = []
    for place, table in enumerate(tables):
        one = _answer(table, ranking.places[str(place)], ranking.comparisons, question)
        if others:
            of_both = [ranking.places[name] for name in fronts[place]]
            points = _front(table, others[place], ranking.fronts[fronts[place]], of_both)
            one = one.model_copy(update={"front": points})
        found.append(one)
    return found


def _selected(readings: AgentReadings, question: Question) -> AgentReadings:
    candidates, against = (
        {candidate: own for candidate, own in measured.items() if question.selects(candidate)}
        for measured in (readings.candidates, readings.against)
    )
    return replace(readings, candidates=candidates, against=against)


def _allowed(readings: AgentReadings, question: Question) -> dict[Candidate, list[str]]:
    """Return the candidates of an agent with the constraints that each of them violates."""
    return {
        one: violations(question.constraints, *readings.agent.constraint_values(one), question.operation)
        if question.constraints.any
        else []
        for one in sorted({*readings.candidates, *readings.against})
    }


def _table(
    readings: AgentReadings,
    candidates: Mapping[Candidate, CandidateReadings],
    violated: Mapping[Candidate, list[str]],
    measure: RankingMeasure,
    *,
    question: Question,
    once: Once,
) -> Table:
    kept = {one: own for one, own in candidates.items() if not violated[one]}
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
            tuple(kept),
        )
        found = once(key, lambda: compared(kept, measure, question.includes))
    excluded = {one: reasons for one, reasons in violated.items() if reasons and one in candidates}
    return Table(readings, kept, found, measure, values, excluded)


def _exact_value(
    agent: AgentFacts, candidate: Candidate, measure: RankingMeasure, operation: OperationName | None
) -> tuple[float | None, str]:
    """Return the value of a measure without readings, and the reason if it is None."""
    if MEASURES[measure].source == "source":
        source, reason = agent.source(candidate)
        return (source.source_lines if source else None), reason
    footprint = agent.constraint_values(candidate)[1]
    value = {
        "code-size": footprint.code_bytes,
        "static-ram": footprint.static_ram_bytes,
        "stack": stack_bytes(footprint, operation),
    }[measure]
    return value, "" if value is not None else footprint.reason or "a part of it was not measured"


def _answer(table: Table, ranked: Sequence[Place], comparisons: int, question: Question) -> AgentAnswer:
    agent, candidates = table.readings.agent, table.candidates
    rows = table.rows(ranked)
    result = AgentAnswer(
        agent_id=agent.agent_id,
        agent_name=agent.name,
        device=agent.device,
        emulated=agent.emulated,
        unranked=agent.unranked,
        measure=table.measure,
        unit=MEASURES[table.measure].unit,
        inputs=input_summary(table.compared.inputs),
        blocks=max((len(next(iter(one.of(table.measure).values()), ())) for one in candidates.values()), default=0),
        noise_floor=table.noise_floor,
        health=agent.health,
        health_reason=agent.health_reason,
        differences=agent.differences,
        trend=trends.agent_trend(table.readings.trend, agent.noise_floor.relative),
        comparisons=comparisons,
        overheads=list(table.readings.overheads),
        times="",
        sentence="",
        rows=rows,
        rows_total=len(rows),
        excluded=table.excluded_rows(),
        front=None,
    )
    text = _nothing_meets(table, question) or sentence.summary_of(result)
    return result.model_copy(update={"sentence": text, "rows": rows[: question.rows]})


def _nothing_meets(table: Table, question: Question) -> str:
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


def _front(table: Table, against: Table, found: Front, ranked: Sequence[Sequence[Place]]) -> ParetoFront:
    """Return the Pareto front of the candidates that have both measures; ranked: the places by each of them."""
    by_name = {candidate_name(one): one for one in table.candidates}
    figures = []
    for one, places in zip((table, against), ranked, strict=True):
        shown = {place.name: one.figures(by_name[place.name], place) for place in places if place.name in by_name}
        values = {name: (each["value"], each.get("interval")) for name, each in shown.items()}
        figures.append(Figures(one.measure, values))
    identities = {
        name: Identity(table.readings.agent.identity(one), table.readings.agent.label(one))
        for name, one in by_name.items()
    }
    return front_of(found, identities, *figures)
