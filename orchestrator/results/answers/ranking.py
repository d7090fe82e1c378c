"""Which one, and how sure: the candidates of one agent in order, ties told, with one sentence.

Candidates are compared over the same inputs and within the same blocks. A candidate without that is listed below
the others, without a rank and with the reason. Emulated agents get a table without ranks: their times say nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.results.answers import pooling, sentence, trends
from orchestrator.results.answers.readings import Candidate, CandidateReadings, Input
from orchestrator.results.schemas import (
    AgentAnswer,
    AnswerInputs,
    AnswerRow,
    FootprintFigures,
    Interval,
    Measure,
    NoiseFloor,
)
from orchestrator.statistics.median import Interval as Limits
from orchestrator.statistics.median import relative_interval
from orchestrator.statistics.ranking import Field, Place, Ranking, rank_together
from orchestrator.statistics.trend import Trend
from orchestrator.wire.health import Health
from orchestrator.wire.messages import LatencyOperation

_FAILURE_CHARACTERS = 400
"""Of a compiler's last lines, as many as a table can bear; the build has them all."""


@dataclass(frozen=True)
class BuildFacts:
    """What an answer says of a build."""

    build_key: str
    toolchain: str
    """In words."""
    failure: str | None = None
    """Why the toolchain made nothing."""


Implementation = tuple[int, str, str, str]
"""Build id, provider, algorithm, variant."""


@dataclass(frozen=True)
class AgentFacts:
    """What an answer says of the machine."""

    agent_id: str
    name: str
    device: str
    emulated: bool
    noise_floor: NoiseFloor
    builds: Mapping[int, BuildFacts]
    footprints: Mapping[Implementation, FootprintFigures]
    health: Health = "unchecked"
    """As the agent's latest check was judged."""
    health_reason: str = ""


@dataclass(frozen=True)
class Question:
    """What is asked of a run."""

    measure: Measure | None = None  # None: the first that the run can answer
    length_bytes: int | None = None  # only chunks or messages of this length; None: all
    operation: LatencyOperation | None = None  # only calls of this kind; None: all
    rows: int = 20  # at most
    with_disturbed: bool = True  # False leaves out the executions that something else disturbed

    def wants(self, given: Input) -> bool:
        """Tell whether an input is looked at."""
        return self.length_bytes in (None, given.length_bytes) and (
            given.operation == "" or self.operation in (None, given.operation)
        )


def answer(
    agent: AgentFacts, candidates: Mapping[Candidate, CandidateReadings], question: Question, measure: Measure
) -> AgentAnswer:
    """Return the answer for one agent by this measure, as if its comparisons were the only ones."""
    return answer_together([Asked(agent, candidates)], question, measure)[0]


@dataclass(frozen=True)
class Asked:
    """One agent of a run, and what it measured."""

    agent: AgentFacts
    candidates: Mapping[Candidate, CandidateReadings]
    trend: Trend | None = None


Ranker = Callable[[Mapping[str, Field]], Ranking]


def answer_together(
    asked: Sequence[Asked], question: Question, measure: Measure, rank: Ranker = rank_together
) -> list[AgentAnswer]:
    """Return the answer for each agent; the comparisons of all of them are corrected as one family.

    rank: whoever has ranked the same fields before may hand in what came of it.
    """
    tables = [_Table(one, pooling.fair_inputs(one.candidates, measure, question.wants), measure) for one in asked]
    ranking = rank({str(place): table.field() for place, table in enumerate(tables)})
    return [
        _answer(table, ranking.places[str(place)], ranking.comparisons, question) for place, table in enumerate(tables)
    ]


def _answer(table: "_Table", ranked: Sequence[Place], comparisons: int, question: Question) -> AgentAnswer:
    agent, candidates = table.asked.agent, table.asked.candidates
    by_name = {_name(candidate): candidate for candidate in candidates}
    places = {by_name[place.name]: place for place in ranked}
    unranked = sorted(candidate for candidate in candidates if candidate not in places)
    rows = [table.row(candidate, places.get(candidate)) for candidate in (*places, *unranked)]
    told = AgentAnswer(
        agent_id=agent.agent_id,
        agent_name=agent.name,
        device=agent.device,
        emulated=agent.emulated,
        measure=table.measure,
        inputs=_told_inputs(table.inputs),
        blocks=max((len(next(iter(one.of(table.measure).values()), ())) for one in candidates.values()), default=0),
        noise_floor=agent.noise_floor,
        health=agent.health,
        health_reason=agent.health_reason,
        trend=trends.told(table.asked.trend, agent.noise_floor.relative),
        comparisons=comparisons,
        sentence="",
        rows=rows,
        rows_total=len(rows),
    )
    return told.model_copy(update={"sentence": sentence.of(told), "rows": rows[: question.rows]})


def _told_inputs(inputs: list[Input]) -> AnswerInputs:
    calls = [one for one in inputs if one.operation]
    return AnswerInputs(
        count=len(inputs),
        kinds=pooling.kinds(inputs),
        lengths_bytes=pooling.lengths_bytes(inputs),
        operations=sorted({one.operation for one in calls}),
        key_setups=sorted({one.key_setup for one in calls}),
        associated_data_lengths_bytes=sorted({one.associated_data_bytes for one in calls}),
    )


_UNKNOWN_BUILD = BuildFacts("", "")
NO_FOOTPRINT = FootprintFigures(
    code_bytes=None, static_ram_bytes=None, context_bytes=None, key_setup_stack_bytes=None, encrypt_stack_bytes=None,
    decrypt_stack_bytes=None, reason="its agent has not reported the footprint of this implementation on this build",
)  # fmt: skip


@dataclass(frozen=True)
class _Table:
    """The candidates of one agent and what they are compared over."""

    asked: Asked
    inputs: list[Input]
    measure: Measure

    def field(self) -> Field:
        """Return those that can be compared."""
        if self.asked.agent.emulated:
            return Field({})
        speeds = {
            _name(candidate): readings.speeds(self.measure, self.inputs)
            for candidate, readings in self.asked.candidates.items()
            if not pooling.incomparable(readings, self.inputs, self.measure)
        }
        return Field(speeds, self.asked.agent.noise_floor.relative or 0.0)

    def row(self, candidate: Candidate, place: Place | None) -> AnswerRow:
        """Describe one candidate, ranked or with the reason why not."""
        readings = self.asked.candidates[candidate]
        build = self.asked.agent.builds.get(candidate.build_id, _UNKNOWN_BUILD)
        behind = place.behind_leader if place else None
        return AnswerRow(
            rank=place.rank if place else None,
            tied=bool(place and place.tied),
            undecided=bool(place and place.undecided),
            reason="" if place else self._reason(readings, build),
            provider=candidate.provider,
            algorithm=candidate.algorithm,
            variant=candidate.variant,
            copy_number=candidate.copy,
            build_key=build.build_key,
            toolchain=build.toolchain,
            **self._figures(readings),
            behind=behind.ratio if behind else None,
            behind_interval=_interval(behind.interval if behind else None),
            adjusted_p=place.adjusted_p if place else None,
            superiority=behind.effect.superiority if behind else None,
            standardised_difference=behind.effect.standardised if behind else None,
            peak_rss_bytes=max(readings.peak_rss_bytes, default=None),
            footprint=self._footprint(candidate),
            **vars(readings.counts),
        )

    def _figures(self, readings: CandidateReadings) -> dict[str, Any]:
        """Return what the candidate is judged by, over those of the inputs that it was measured with."""
        own = [one for one in self.inputs if one in readings.of(self.measure)]
        summary = pooling.pooled(readings.matrix(self.measure, own)) if own else None
        median, calls = summary.median if summary else None, self.measure == "call"
        return {
            "throughput_bytes_per_second": None if calls else median,
            "call_wall_ns": median if calls else None,
            "call_cpu_ns": pooling.geometric_mean(readings.call_cpu_ns, own) if calls else None,
            "cold_call_wall_ns": pooling.geometric_mean(readings.cold_call_wall_ns, own) if calls else None,
            "interval": _interval(summary.interval if summary else None),
            "relative_interval": relative_interval(summary),
            **{
                name: pooling.geometric_mean(getattr(readings, name), own)
                for name in ("cycles_per_instruction", "energy_per_execution_joules", "energy_per_byte_joules")
            },
        }

    def _footprint(self, candidate: Candidate) -> FootprintFigures:
        implementation = (candidate.build_id, candidate.provider, candidate.algorithm, candidate.variant)
        return self.asked.agent.footprints.get(implementation, NO_FOOTPRINT)

    def _reason(self, readings: CandidateReadings, build: BuildFacts) -> str:
        if build.failure is not None:
            return f"the toolchain made no runners: {build.failure[-_FAILURE_CHARACTERS:]}"
        missing = pooling.incomparable(readings, self.inputs, self.measure)
        return missing or "times of an emulated processor are not compared"


def _name(candidate: Candidate) -> str:
    of_build = f"{candidate.build_id} {candidate.copy}"
    return f"{candidate.algorithm} {candidate.provider} {candidate.variant} {of_build}"


def _interval(limits: Limits | None) -> Interval | None:
    return None if limits is None else Interval(low=limits.low, high=limits.high)
