"""Which one, and how sure: the candidates of one agent in order, ties told, with one sentence.

Candidates are compared over the same inputs and within the same blocks. A candidate without that is listed below
the others, without a rank and with the reason. Emulated agents get a table without ranks: their times say nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.results import pooling, sentence
from orchestrator.results.readings import Candidate, CandidateReadings, Input, Measure
from orchestrator.results.schemas import AgentAnswer, AnswerInputs, AnswerRow, Interval, NoiseFloor
from orchestrator.statistics.median import Interval as Limits
from orchestrator.statistics.paired import Floats
from orchestrator.statistics.ranking import Place, rank


@dataclass(frozen=True)
class AgentFacts:
    """What an answer says of the machine."""

    agent_id: str
    name: str
    device: str
    emulated: bool
    noise_floor: NoiseFloor
    builds: Mapping[int, tuple[str, str]]  # build id → key and toolchain in words


@dataclass(frozen=True)
class Question:
    """What is asked of a run."""

    measure: Measure = "encrypt"
    length_bytes: int | None = None  # only chunks of this length; None: all
    rows: int = 20  # at most
    with_disturbed: bool = True  # False leaves out the executions that something else disturbed


def answer(agent: AgentFacts, candidates: Mapping[Candidate, CandidateReadings], question: Question) -> AgentAnswer:
    """Return the answer for one agent."""
    inputs = pooling.fair_inputs(candidates, question.length_bytes)
    table = _Table(agent, candidates, inputs, question.measure)
    places = table.places()
    unranked = sorted(candidate for candidate in candidates if candidate not in places)
    rows = [table.row(candidate, places.get(candidate)) for candidate in (*places, *unranked)]
    told = AgentAnswer(
        agent_id=agent.agent_id,
        agent_name=agent.name,
        device=agent.device,
        emulated=agent.emulated,
        measure=question.measure,
        inputs=AnswerInputs(
            count=len(inputs), kinds=pooling.kinds(inputs), lengths_bytes=pooling.lengths_bytes(inputs)
        ),
        blocks=max((len(next(iter(one.encrypt.values()), ())) for one in candidates.values()), default=0),
        noise_floor=agent.noise_floor,
        sentence="",
        rows=rows,
        rows_total=len(rows),
    )
    return told.model_copy(update={"sentence": sentence.of(told), "rows": rows[: question.rows]})


@dataclass(frozen=True)
class _Table:
    """The candidates of one agent and what they are compared over."""

    agent: AgentFacts
    candidates: Mapping[Candidate, CandidateReadings]
    inputs: list[Input]
    measure: Measure

    def places(self) -> dict[Candidate, Place]:
        """Rank those that can be compared, fastest first."""
        if self.agent.emulated:
            return {}
        comparable = {
            _name(candidate): candidate
            for candidate, readings in self.candidates.items()
            if not pooling.incomparable(readings, self.inputs, self.measure)
        }
        ranked = rank(
            {name: self._matrix(candidate, self.inputs) for name, candidate in comparable.items()},
            noise_floor=self.agent.noise_floor.relative or 0.0,
        )
        return {comparable[place.name]: place for place in ranked}

    def row(self, candidate: Candidate, place: Place | None) -> AnswerRow:
        """Describe one candidate, ranked or with the reason why not."""
        readings = self.candidates[candidate]
        own = [one for one in self.inputs if one in readings.of(self.measure)]
        summary = pooling.pooled(self._matrix(candidate, own)) if own else None
        build_key, toolchain = self.agent.builds.get(candidate.build_id, ("", ""))
        behind = place.behind_leader if place else None
        counts = readings.counts
        return AnswerRow(
            rank=place.rank if place else None,
            tied=bool(place and place.tied),
            undecided=bool(place and place.undecided),
            reason="" if place else self._reason(readings),
            provider=candidate.provider,
            algorithm=candidate.algorithm,
            variant=candidate.variant,
            build_key=build_key,
            toolchain=toolchain,
            throughput_bytes_per_second=summary.median if summary else None,
            interval=_interval(summary.interval if summary else None),
            behind=behind.ratio if behind else None,
            behind_interval=_interval(behind.interval if behind else None),
            peak_rss_bytes=max(readings.peak_rss_bytes, default=None),
            ok=counts.ok,
            failed=counts.failed,
            wrong=counts.wrong,
            disputed=counts.disputed,
            disturbed=counts.disturbed,
        )

    def _matrix(self, candidate: Candidate, inputs: list[Input]) -> Floats:
        return self.candidates[candidate].matrix(self.measure, inputs)

    def _reason(self, readings: CandidateReadings) -> str:
        missing = pooling.incomparable(readings, self.inputs, self.measure)
        return missing or "times of an emulated processor are not compared"


def _name(candidate: Candidate) -> str:
    return f"{candidate.algorithm} {candidate.provider} {candidate.variant} {candidate.build_id}"


def _interval(limits: Limits | None) -> Interval | None:
    return None if limits is None else Interval(low=limits.low, high=limits.high)
