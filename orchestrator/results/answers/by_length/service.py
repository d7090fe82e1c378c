"""Figures by input length: the data of a run's throughput and latency charts."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from orchestrator.database.engine import Database
from orchestrator.results.answers import pooling
from orchestrator.results.answers.agents import AgentFacts
from orchestrator.results.answers.by_length.relative import ComparedGroup, relative_to, relative_to_fastest
from orchestrator.results.answers.by_length.schemas import (
    LatencyChart,
    LatencyPoint,
    RelativeRatio,
    ThroughputChart,
    ThroughputPoint,
)
from orchestrator.results.answers.facts import facts_of_agents
from orchestrator.results.answers.readings import Candidate, Candidates, Input, ReadingsCache
from orchestrator.results.freshness.service import snapshot_of
from orchestrator.results.measures import RankingMeasure
from orchestrator.results.schemas import Interval
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import MedianSummary

Call = tuple[str, str, int, int]
"""Operation, key setup, length of the associated data, length; of a chunk, only the length is set."""
Ratios = dict[tuple[Candidate, Call], RelativeRatio]


@dataclass(frozen=True)
class _Figure:
    """Pooled readings of a candidate."""

    inputs: Sequence[Input]
    summary: MedianSummary


_Figures = dict[tuple[Candidate, Call], _Figure]


Agents = Mapping[str, AgentFacts]
"""By agent id."""


def get_throughput(
    database: Database, cache: ReadingsCache, run_id: str, measure: RankingMeasure, kind: str | None = None
) -> ThroughputChart:
    """Return throughput by chunk length of every candidate, of one kind of chunk or of all kinds pooled.

    Raises NotFound.
    """
    with snapshot_of(database, run_id) as seen:
        readings = cache.get(seen.session, run_id, measure=measure)
        agents = facts_of_agents(seen.session, run_id, readings.process)
    key = ("of fastest", measure, kind, *(one.key for one in agents.values()))

    def compute() -> tuple[_Figures, Ratios]:
        figures = _figures(readings.process, measure, lambda given: kind in (None, given.kind))
        return figures, _of_fastest(readings.process, figures, measure, agents)

    figures, ratios = readings.once(key, compute)
    points = [
        ThroughputPoint(
            **agents[candidate.agent_id].identity(candidate),
            length_bytes=call[-1],
            kinds=pooling.kinds(one.inputs),
            throughput_bytes_per_second=one.summary.median,
            interval=Interval.of(one.summary.interval),
            blocks=one.summary.n,
            of_fastest=ratios[candidate, call],
        )
        for (candidate, call), one in figures.items()
    ]
    return ThroughputChart(run_id=run_id, measure=measure, points=points)


def get_latency(database: Database, cache: ReadingsCache, run_id: str) -> LatencyChart:
    """Return the time of one call by message length of every candidate, fills pooled; raises NotFound."""
    with snapshot_of(database, run_id) as seen:
        readings = cache.get(seen.session, run_id)
        agents = facts_of_agents(seen.session, run_id, readings.latency)
    key = ("of base", *(one.key for one in agents.values()))

    def compute() -> tuple[_Figures, Ratios]:
        figures = _figures(readings.latency, "call", lambda given: True)
        return figures, _of_base(readings.latency, figures, agents)

    figures, ratios = readings.once(key, compute)
    points = [
        LatencyPoint(
            **agents[candidate.agent_id].identity(candidate),
            operation=cast(Any, operation),
            key_setup=cast(Any, key_setup),
            length_bytes=length_bytes,
            has_message=one.inputs[0].has_message,
            associated_data_bytes=associated_data_bytes,
            call_wall_ns=one.summary.median,
            interval=Interval.of(one.summary.interval),
            cold_call_wall_ns=pooling.geometric_mean(
                readings.latency[candidate].medians["cold_call_wall_ns"], one.inputs
            ),
            blocks=one.summary.n,
            of_base=ratios[candidate, (operation, key_setup, associated_data_bytes, length_bytes)],
        )
        for (candidate, (operation, key_setup, associated_data_bytes, length_bytes)), one in figures.items()
    ]
    return LatencyChart(run_id=run_id, points=points)


def base_toolchain(toolchains: Sequence[str]) -> str | None:
    """Return the toolchain that the others are compared with: the first GCC, else the first; None for a single one."""
    words = sorted(set(toolchains), key=lambda text: (not text.startswith("gcc"), text))
    return words[0] if len(words) > 1 else None


def _figures(candidates: Candidates, measure: RankingMeasure, includes: Callable[[Input], bool]) -> _Figures:
    """Return the pooled readings of each candidate by call or length, in order."""
    found: _Figures = {}
    for candidate in sorted(candidates):
        by_call = defaultdict[Call, list[Input]](list)
        for given in sorted(candidates[candidate].of(measure)):
            if includes(given):
                by_call[_call(given)].append(given)
        for call, inputs in sorted(by_call.items()):
            summary = pooling.pooled(candidates[candidate].matrix(measure, inputs))
            if summary is not None:
                found[candidate, call] = _Figure(inputs, summary)
    return found


def _of_fastest(candidates: Candidates, figures: _Figures, measure: RankingMeasure, agents: Agents) -> Ratios:
    """Return each figure relative to the fastest one of the same agent, algorithm and length."""
    alike = defaultdict[tuple[str, str, Call], list[Candidate]](list)
    for candidate, call in figures:
        alike[candidate.agent_id, candidate.algorithm, call].append(candidate)
    ratios: Ratios = {}
    for (agent_id, _, call), names in alike.items():
        readings = _readings(candidates, figures, measure, [(one, call) for one in names])
        labels = {one: agents[agent_id].label_in_algorithm(one) for one in names}
        found = relative_to_fastest(ComparedGroup(agents[agent_id], readings, labels))
        ratios |= {(candidate, call): ratio for candidate, ratio in found.items()}
    return ratios


def _of_base(candidates: Candidates, figures: _Figures, agents: Agents) -> Ratios:
    """Return each figure relative to that of the base toolchain, for the same call of the same implementation."""
    toolchains = defaultdict[tuple[str, str], list[str]](list)
    alike = defaultdict[tuple[Candidate, Call], list[Candidate]](list)
    for candidate, call in figures:
        toolchain = agents[candidate.agent_id].toolchain(candidate)
        toolchains[candidate.agent_id, candidate.algorithm].append(toolchain)
        alike[replace(candidate, build_id=0), call].append(candidate)
    ratios: Ratios = {}
    for (implementation, call), names in alike.items():
        agent = agents[implementation.agent_id]
        base = base_toolchain(toolchains[implementation.agent_id, implementation.algorithm])
        labels = {one: agent.toolchain(one) for one in names}
        reference = next((one for one, label in labels.items() if label == base), None)
        if reference is None:
            reason = f"{base} has no result of this call" if base else "the algorithm has one toolchain only"
            ratios |= {(candidate, call): RelativeRatio(reason=reason) for candidate in names}
            continue
        readings = _readings(candidates, figures, "call", [(one, call) for one in names])
        found = relative_to(ComparedGroup(agent, readings, labels), reference)
        ratios |= {(candidate, call): ratio for candidate, ratio in found.items()}
    return ratios


def _readings(
    candidates: Candidates, figures: _Figures, measure: RankingMeasure, places: Sequence[tuple[Candidate, Call]]
) -> dict[Candidate, Floats]:
    """Return the readings of these figures over all inputs that one of them has."""
    inputs = sorted({given for place in places for given in figures[place].inputs})
    return {candidate: candidates[candidate].matrix(measure, inputs) for candidate, _ in places}


def _call(given: Input) -> Call:
    return given.operation, given.key_setup, given.associated_data_bytes, given.length_bytes
