"""The answer of one agent: its candidates ranked with ties, and a summary sentence.

Candidates are compared over the same inputs and within the same blocks. A candidate that cannot be compared is listed
below the others without a rank, with the reason. Tables of emulated agents have no ranks: their times mean nothing.
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
"""Characters of a compiler's last lines in a table; the build has all of them."""


@dataclass(frozen=True)
class BuildFacts:
    """Facts of a build in an answer."""

    build_key: str
    toolchain: str
    """Label."""
    failure: str | None = None
    """Why the toolchain produced no build."""


Implementation = tuple[int, str, str, str]
"""Build id, provider, algorithm, variant."""


@dataclass(frozen=True)
class AgentFacts:
    """Facts of an agent in an answer."""

    agent_id: str
    name: str
    device: str
    emulated: bool
    noise_floor: NoiseFloor
    builds: Mapping[int, BuildFacts]
    footprints: Mapping[Implementation, FootprintFigures]
    health: Health = "unchecked"
    """Judgment of the agent's latest health check."""
    health_reason: str = ""


@dataclass(frozen=True)
class Question:
    """Selection of an answer: measure, inputs, number of rows."""

    measure: Measure | None = None  # None: the first measure of the run
    length_bytes: int | None = None  # only chunks or messages of this length; None: all
    operation: LatencyOperation | None = None  # only calls of this kind; None: all
    rows: int = 20  # maximum per agent
    with_disturbed: bool = True  # False excludes disturbed executions

    def includes(self, given: Input) -> bool:
        """Return whether an input is included."""
        return self.length_bytes in (None, given.length_bytes) and (
            given.operation == "" or self.operation in (None, given.operation)
        )


def answer(
    agent: AgentFacts, candidates: Mapping[Candidate, CandidateReadings], question: Question, measure: Measure
) -> AgentAnswer:
    """Return the answer for one agent, corrected for its own comparisons alone."""
    return answer_together([AgentReadings(agent, candidates)], question, measure)[0]


@dataclass(frozen=True)
class AgentReadings:
    """One agent of a run with the readings of its candidates."""

    agent: AgentFacts
    candidates: Mapping[Candidate, CandidateReadings]
    trend: Trend | None = None


Ranker = Callable[[Mapping[str, Field]], Ranking]


def answer_together(
    agents: Sequence[AgentReadings], question: Question, measure: Measure, rank: Ranker = rank_together
) -> list[AgentAnswer]:
    """Return the answer for each agent; the comparisons of all of them are corrected as one family.

    rank: ranks the fields; a caller may pass a cached ranking of the same fields.
    """
    tables = [_Table(one, pooling.fair_inputs(one.candidates, measure, question.includes), measure) for one in agents]
    ranking = rank({str(place): table.field() for place, table in enumerate(tables)})
    return [
        _answer(table, ranking.places[str(place)], ranking.comparisons, question) for place, table in enumerate(tables)
    ]


def _answer(table: "_Table", ranked: Sequence[Place], comparisons: int, question: Question) -> AgentAnswer:
    agent, candidates = table.readings.agent, table.readings.candidates
    by_name = {_name(candidate): candidate for candidate in candidates}
    places = {by_name[place.name]: place for place in ranked}
    unranked = sorted(candidate for candidate in candidates if candidate not in places)
    rows = [table.row(candidate, places.get(candidate)) for candidate in (*places, *unranked)]
    result = AgentAnswer(
        agent_id=agent.agent_id,
        agent_name=agent.name,
        device=agent.device,
        emulated=agent.emulated,
        measure=table.measure,
        inputs=_input_summary(table.inputs),
        blocks=max((len(next(iter(one.of(table.measure).values()), ())) for one in candidates.values()), default=0),
        noise_floor=agent.noise_floor,
        health=agent.health,
        health_reason=agent.health_reason,
        trend=trends.agent_trend(table.readings.trend, agent.noise_floor.relative),
        comparisons=comparisons,
        sentence="",
        rows=rows,
        rows_total=len(rows),
    )
    return result.model_copy(update={"sentence": sentence.summary_of(result), "rows": rows[: question.rows]})


def _input_summary(inputs: list[Input]) -> AnswerInputs:
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
    """The candidates of one agent and the inputs they are compared over."""

    readings: AgentReadings
    inputs: list[Input]
    measure: Measure

    def field(self) -> Field:
        """Return the candidates that can be compared."""
        if self.readings.agent.emulated:
            return Field({})
        speeds = {
            _name(candidate): readings.speeds(self.measure, self.inputs)
            for candidate, readings in self.readings.candidates.items()
            if not pooling.incomparable(readings, self.inputs, self.measure)
        }
        return Field(speeds, self.readings.agent.noise_floor.relative or 0.0)

    def row(self, candidate: Candidate, place: Place | None) -> AnswerRow:
        """Return the row of one candidate, with its rank or the reason for having none."""
        readings = self.readings.candidates[candidate]
        build = self.readings.agent.builds.get(candidate.build_id, _UNKNOWN_BUILD)
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
            standardized_difference=behind.effect.standardized if behind else None,
            peak_rss_bytes=max(readings.peak_rss_bytes, default=None),
            footprint=self._footprint(candidate),
            **vars(readings.counts),
        )

    def _figures(self, readings: CandidateReadings) -> dict[str, Any]:
        """Return the candidate's figures over the inputs that it was measured with."""
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
        return self.readings.agent.footprints.get(implementation, NO_FOOTPRINT)

    def _reason(self, readings: CandidateReadings, build: BuildFacts) -> str:
        if build.failure is not None:
            return f"the toolchain produced no runners: {build.failure[-_FAILURE_CHARACTERS:]}"
        missing = pooling.incomparable(readings, self.inputs, self.measure)
        return missing or "times of an emulated processor are not compared"


def _name(candidate: Candidate) -> str:
    of_build = f"{candidate.build_id} {candidate.copy}"
    return f"{candidate.algorithm} {candidate.provider} {candidate.variant} {of_build}"


def _interval(limits: Limits | None) -> Interval | None:
    return None if limits is None else Interval(low=limits.low, high=limits.high)
