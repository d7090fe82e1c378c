"""Answers of runs for the API and the pages: the ranking of candidates on each agent, and the overhead of a process."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from orchestrator.builds.repository import targets_of_run
from orchestrator.database.engine import Database
from orchestrator.results.answers import repository
from orchestrator.results.answers.agents import AgentReadings
from orchestrator.results.answers.agreement import with_agreement
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.decision.sizes import size_remarks
from orchestrator.results.answers.facts import agent_facts
from orchestrator.results.answers.history import first_look, repetitions_of, stopped_words
from orchestrator.results.answers.overheads import process_overheads
from orchestrator.results.answers.ranking import Once, answer_together
from orchestrator.results.answers.readings import ReadingsCache, RunReadings
from orchestrator.results.digests import repository as digest_repository
from orchestrator.results.freshness.service import RunSnapshot
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.results.schemas import ProcessOverhead, RunAnswer
from orchestrator.runs.planning.patterns import suggestion
from orchestrator.runs.repository import note_first_look
from orchestrator.service.trust.repository import contradicted_agents
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import format_size
from orchestrator.shared.values.text import enumerated
from orchestrator.wire.messages import CIPHER_SEQUENCE


@dataclass(frozen=True)
class ReadAnswer:
    """Facts that the answer of a run is computed from, after the transaction that read them."""

    answer: RunAnswer
    """Without the agents."""
    question: Question
    agents: Sequence[AgentReadings]
    once: Once
    contradicted: Collection[str]
    stopped: str
    """Where the run stopped before its end."""
    look: int | None
    """Executions before the first look, if this is it."""

    def compute(self, database: Database) -> RunAnswer:
        """Store a first look at a registered run, and return the ranking of candidates on each agent."""
        run_id, measure = self.answer.run_id, self.answer.measure
        if self.look is not None:
            with database.write() as session:
                note_first_look(session, run_id, self.look)
        answers = with_agreement(
            answer_together(self.agents, self.question, measure, self.once),
            {one.agent.agent_id: one.agent.model for one in self.agents},
            self.contradicted,
        )
        for place, one in enumerate(answers):
            texts = (self.stopped, one.sentence, _remarks(self.agents[place], self.question, measure, run_id))
            answers[place] = one.model_copy(update={"sentence": " ".join(filter(None, texts))})
        return self.answer.model_copy(update={"agents": answers})


def read_answer(seen: RunSnapshot, cache: ReadingsCache, question: Question) -> ReadAnswer:
    """Return the facts that the ranking of candidates on each agent of the run is computed from.

    Raises InvalidRequest for an algorithm, operation, length or key setup that the run does not have.
    """
    session, run, run_id = seen.session, seen.run, seen.run.id
    readings = cache.get(session, run_id, question.with_disturbed)
    measures = readings.measures()
    measure = question.measure or _default_measure(question, measures)
    of_measure = cache.get(session, run_id, question.with_disturbed, measure)
    of_against = cache.get(session, run_id, question.with_disturbed, question.against) if question.against else None
    require_values(session, run_id, question, exact=MEASURES[measure].exact)
    if not MEASURES[measure].exact:
        found = of_measure.candidates(measure).values()
        question = question.narrowed(given for one in found for given in one.of(measure))
    look = first_look(session, run)
    vouching = digest_repository.vouching_of_run(session, run_id)
    overheads = process_overheads(session, run_id) if measure in ("encrypt", "pass") else {}
    agents = []
    for agent_id in sorted({*readings.agent_ids(measure), *overheads}):
        candidates = of_measure.of_agent(agent_id, measure)
        against = of_against.of_agent(agent_id, question.against) if of_against and question.against else {}
        build_ids = {one.build_id for one in (*candidates, *against)}
        facts = agent_facts(session, run_id, agent_id, build_ids, question.constraints.target)
        trend = readings.trend(agent_id, measure)
        agents.append(AgentReadings(facts, candidates, trend, overheads.get(agent_id, ()), vouching, against))
    answer = RunAnswer(
        run_id=run_id,
        state=run.state,
        repetitions=repetitions_of(session, run, look),
        measure=measure,
        measures=measures,
        length_bytes=question.length_bytes,
        operation=question.ranked_operation,
        key_setup=question.key_setup,
        lag=seen.lag,
        against=question.against,
        constraints=question.constraints.labels,
        targets=targets_of_run(session, run_id),
        algorithms=sorted(question.algorithms),
        agents=[],
    )
    return ReadAnswer(
        answer,
        question,
        agents,
        _once_for(readings, of_measure, of_against),
        contradicted_agents(session, [one.agent.agent_id for one in agents]),
        stopped_words(session, run),
        look if run.first_look_executions is None else None,
    )


def _default_measure(question: Question, measures: Sequence[RankingMeasure]) -> RankingMeasure:
    """Return the first measure of the run; for another operation than its own, calls of it, or its throughput."""
    first: RankingMeasure = measures[0] if measures else "encrypt"
    if question.operation in (None, first) and question.key_setup != "included":
        return first
    return "call" if "call" in measures else next((one for one in measures if one == question.operation), first)


def _remarks(measured: AgentReadings, question: Question, measure: RankingMeasure, run_id: str) -> str:
    """Return the remarks on sizes if the question is about them; empty for another one."""
    if not question.is_about_sizes(measure):
        return ""
    agent, candidates = measured.agent, {*measured.candidates, *measured.against}
    target = question.constraints.target
    return size_remarks(agent.device, target, agent.implementations, filter(question.selects, candidates), run_id)


def require_values(session: Session, run_id: str, question: Question, *, exact: bool = False) -> None:
    """Raise InvalidRequest for an algorithm or input that the run does not have, with what it has.

    exact: the measure has no readings: the stack of each operation of a cipher is known, whatever the run timed.
    """
    if not question.algorithms and {question.operation, question.key_setup, question.length_bytes} == {None}:
        return
    kinds = repository.case_kinds(session, run_id)
    default = "encrypt" if question.key_setup and any(kind["operation"] == "encrypt" for kind in kinds) else None
    required: dict[str, list[Any]] = {
        "algorithm": sorted(question.algorithms),
        "operation": [question.operation or default],
        "key_setup": [question.key_setup],
        "length_bytes": [question.length_bytes],
    }
    for field, values in required.items():
        known = {kind[field] for kind in kinds} - {None}
        if exact and field == "operation":
            known.update(CIPHER_SEQUENCE.split("+"))
        for value in values if known else ():
            if value not in {None, *known}:
                name, remedy = f"{field.replace('_', ' ')} {value!r}", ""
                if field == "length_bytes":
                    of_operation = f" for the operation {question.operation!r}" if question.operation else ""
                    name = f"input of {format_size(value)}{of_operation}"
                    remedy = f"It has inputs of {enumerated([format_size(one) for one in sorted(known)])}."
                remedy = remedy or suggestion(value, known)
                raise InvalidRequest(f"The run has no {name}.", remedy=remedy, field=field, seen=value)
        kinds = [kind for kind in kinds if values in ([], [None]) or kind[field] in values]


def _once_for(times: RunReadings, of_measure: RunReadings, of_against: RunReadings | None) -> Once:
    """Return the cache of results of the readings that were loaded last, so that no result outlives its readings."""
    others = [one for one in (of_measure, of_against) if one is not None and one is not times]
    if len(others) > 1:
        return lambda _key, compute: compute()
    return (others or [times])[0].once


def list_overheads(session: Session, run_id: str) -> dict[str, list[ProcessOverhead]]:
    """Return the overhead of a process without a cipher (`noop`) on each agent of a run, by the agent's name."""
    found = process_overheads(session, run_id)
    names = repository.agent_names(session, found)
    return {names[agent_id]: overheads for agent_id, overheads in found.items()}
