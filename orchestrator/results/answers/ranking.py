"""The answer of one agent: its candidates ranked with ties, and a summary sentence.

Candidates are compared pair by pair, over the inputs that both have and within the same blocks. A candidate with too
little in common with the others is listed below them without a rank, with the reason. Tables of emulated agents have no
ranks: their times mean nothing.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from orchestrator.errors import NoData
from orchestrator.results.answers import pooling, sentence, trends
from orchestrator.results.answers.readings import MEDIANS_OF_CASES, Candidate, CandidateReadings, Input
from orchestrator.results.answers.selection import Compared, compared
from orchestrator.results.digests.verdicts import vouched_by, vouched_together
from orchestrator.results.schemas import (
    AgentAnswer,
    AnswerInputs,
    AnswerRow,
    FootprintFigures,
    Interval,
    Measure,
    NoiseFloor,
    ProcessOverhead,
)
from orchestrator.statistics.incomplete import Level, levels
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import MIN_FOR_INTERVAL, MedianSummary, relative_interval
from orchestrator.statistics.median import Interval as Limits
from orchestrator.statistics.paired import Comparison, compare
from orchestrator.statistics.ranking import Doubt, Field, Place, rank_together
from orchestrator.statistics.trend import Trend
from orchestrator.wire.health import Health
from orchestrator.wire.messages import LatencyOperation

T = TypeVar("T")
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
    overheads: Sequence[ProcessOverhead] = ()
    vouching: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """What vouches for the expected digest of an input, by algorithm and SHA-256; changes without the readings."""


class Once(Protocol):
    """A cache of results: returns the one under a key, computed by the first call."""

    def __call__(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result under this key."""
        ...


def _uncached(key: Hashable, compute: Callable[[], T]) -> T:
    del key
    return compute()


def answer_together(
    agents: Sequence[AgentReadings], question: Question, measure: Measure, once: Once = _uncached
) -> list[AgentAnswer]:
    """Return the answer for each agent; the comparisons of all of them are corrected as one family.

    once: keeps selections and rankings of the same readings; noise floors, which can change, are part of their keys.
    """
    chosen = measure, question.length_bytes, question.operation

    def compared_of(one: AgentReadings) -> Compared:
        key = ("compared", one.agent.agent_id, *chosen)
        return once(key, lambda: compared(one.candidates, measure, question.includes))

    tables = [_Table(one, compared_of(one), measure) for one in agents]
    fields = {str(place): table.field() for place, table in enumerate(tables)}
    floors = tuple((one.agent.agent_id, one.agent.emulated, one.agent.noise_floor.relative) for one in agents)
    ranking = once(("ranking", *chosen, floors), lambda: rank_together(fields))
    return [
        _answer(table, ranking.places[str(place)], ranking.comparisons, question) for place, table in enumerate(tables)
    ]


def _answer(table: "_Table", ranked: Sequence[Place], comparisons: int, question: Question) -> AgentAnswer:
    agent, candidates = table.readings.agent, table.readings.candidates
    rows = table.rows(ranked)
    result = AgentAnswer(
        agent_id=agent.agent_id,
        agent_name=agent.name,
        device=agent.device,
        emulated=agent.emulated,
        measure=table.measure,
        inputs=_input_summary(table.compared.inputs),
        blocks=max((len(next(iter(one.of(table.measure).values()), ())) for one in candidates.values()), default=0),
        noise_floor=agent.noise_floor,
        health=agent.health,
        health_reason=agent.health_reason,
        trend=trends.agent_trend(table.readings.trend, agent.noise_floor.relative),
        comparisons=comparisons,
        overheads=list(table.readings.overheads),
        sentence="",
        rows=rows,
        rows_total=len(rows),
    )
    return result.model_copy(update={"sentence": sentence.summary_of(result), "rows": rows[: question.rows]})


def _input_summary(inputs: Sequence[Input]) -> AnswerInputs:
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
_FIGURES = (
    "throughput_bytes_per_second", "call_wall_ns", "interval", "relative_interval", *MEDIANS_OF_CASES,
)  # fmt: skip
_NO_FIGURES: dict[str, Any] = dict.fromkeys(_FIGURES) | {"n": 0}
_DOUBTS: Mapping[Doubt, str] = {
    "": "",
    "blocks": f"fewer than {MIN_FOR_INTERVAL} blocks are shared with the first of this rank",
    "inputs": "too few inputs are shared with the first of this rank",
    "contradiction": "over the inputs that both have, it is faster than the first of this rank",
}
NO_FOOTPRINT = FootprintFigures(
    code_bytes=None, static_ram_bytes=None, context_bytes=None, key_setup_stack_bytes=None, encrypt_stack_bytes=None,
    decrypt_stack_bytes=None, reason="its agent has not reported the footprint of this implementation on this build",
)  # fmt: skip


@dataclass(frozen=True)
class _Table:
    """The candidates of one agent and the inputs they are compared over."""

    readings: AgentReadings
    compared: Compared
    measure: Measure

    def field(self) -> Field:
        """Return the candidates that are ranked."""
        if self.readings.agent.emulated:
            return Field({})
        speeds = {_name(one): self._speeds(one, self.compared.inputs) for one in self.compared.candidates}
        return Field(speeds, self.readings.agent.noise_floor.relative or 0.0)

    def rows(self, ranked: Sequence[Place]) -> list[AnswerRow]:
        """Return the ranked rows in their order, then the others with the reason, fastest first."""
        by_name = {_name(candidate): candidate for candidate in self.readings.candidates}
        leader = by_name[ranked[0].name] if ranked else None
        placed = {by_name[place.name]: place for place in ranked}
        rows = [self._ranked(candidate, place) for candidate, place in placed.items()]
        others = [self._separate(one, leader) for one in sorted(self.readings.candidates) if one not in placed]
        return rows + sorted(others, key=_slowness)

    def _ranked(self, candidate: Candidate, place: Place) -> AnswerRow:
        own = self.compared.of(candidate)
        figures = self._level(place.level) | self._means(candidate, self.compared.inputs)
        behind = place.behind_leader
        return self._row(
            candidate, own, figures, behind,
            rank=place.rank, tied=place.tied, undecided=place.undecided, reason=_DOUBTS[place.doubt],
            adjusted_p=place.adjusted_p, estimated=len(own) < len(self.compared.inputs),
        )  # fmt: skip

    def _separate(self, candidate: Candidate, leader: Candidate | None) -> AnswerRow:
        """Return the row of a candidate without a rank, over its own inputs."""
        own = self.compared.of(candidate)
        figures = {} if not own else (
            self._level(levels({"": self._speeds(candidate, own)})[""]) | self._means(candidate, own)
        )  # fmt: skip
        behind = None
        if leader is not None and own:
            behind = _compared_anyway(self._speeds(leader, own), self._speeds(candidate, own))
        return self._row(
            candidate, own, figures, behind,
            rank=None, tied=False, undecided=False, reason=self._reason(candidate), adjusted_p=None, estimated=False,
        )  # fmt: skip

    def _row(
        self,
        candidate: Candidate,
        own: Sequence[Input],
        figures: dict[str, Any],
        behind: Comparison | None,
        **place: Any,
    ) -> AnswerRow:
        readings = self.readings.candidates[candidate]
        build = self.readings.agent.builds.get(candidate.build_id, _UNKNOWN_BUILD)
        return AnswerRow(
            provider=candidate.provider,
            algorithm=candidate.algorithm,
            variant=candidate.variant,
            **candidate.form.fields,
            copy_number=candidate.copy,
            build_key=build.build_key,
            toolchain=build.toolchain,
            inputs=_input_summary(own),
            **(_NO_FIGURES | figures),
            behind=behind.ratio if behind else None,
            behind_interval=_interval(behind.interval if behind else None),
            behind_inputs=behind.inputs if behind else None,
            behind_blocks=behind.blocks if behind else None,
            superiority=behind.effect.superiority if behind else None,
            standardized_difference=behind.effect.standardized if behind else None,
            vouched_by=self._vouched_by(candidate, own),
            peak_rss_bytes=max(readings.peak_rss_bytes, default=None),
            footprint=self._footprint(candidate),
            **vars(readings.counts),
            **place,
        )

    def _speeds(self, candidate: Candidate, inputs: Sequence[Input]) -> Floats:
        return self.readings.candidates[candidate].speeds(self.measure, inputs)

    def _level(self, level: Level) -> dict[str, Any]:
        """Return a level as the figure that the table shows, with the number of readings behind it."""
        calls, speed, limits = self.measure == "call", math.exp(level.middle), None
        if level.interval is not None:
            limits = Limits(math.exp(level.interval.low), math.exp(level.interval.high))
        if calls:
            limits = limits and Limits(1 / limits.high, 1 / limits.low)
            speed = 1 / speed
        return {
            "throughput_bytes_per_second": None if calls else speed,
            "call_wall_ns": speed if calls else None,
            "interval": _interval(limits),
            "relative_interval": relative_interval(MedianSummary(level.readings, speed, limits)),
            "n": level.readings,
        }

    def _means(self, candidate: Candidate, inputs: Sequence[Input]) -> dict[str, Any]:
        """Return the figures that are medians of cases; None where a case of these inputs is missing."""
        readings, calls = self.readings.candidates[candidate], self.measure == "call"
        return {
            name: pooling.geometric_mean(getattr(readings, name), inputs)
            for name in MEDIANS_OF_CASES
            if calls or name not in ("call_cpu_ns", "cold_call_wall_ns")
        }

    def _vouched_by(self, candidate: Candidate, inputs: Sequence[Input]) -> str | None:
        ok, vouching = self.readings.candidates[candidate].counts.ok, self.readings.vouching
        encrypting = [given for given in inputs if given.operation in ("", "encrypt")]
        labels = [
            vouched_by(
                ok=ok,
                noop=False,  # It is never a candidate.
                encrypts=bool(encrypting),
                expected=vouching.get((candidate.algorithm, given.input_sha256)),
            )
            for given in encrypting or inputs
        ]
        return vouched_together(labels)

    def _footprint(self, candidate: Candidate) -> FootprintFigures:
        implementation = (candidate.build_id, candidate.provider, candidate.algorithm, candidate.variant)
        return self.readings.agent.footprints.get(implementation, NO_FOOTPRINT)

    def _reason(self, candidate: Candidate) -> str:
        build = self.readings.agent.builds.get(candidate.build_id, _UNKNOWN_BUILD)
        if build.failure is not None:
            return f"the toolchain produced no runners: {build.failure[-_FAILURE_CHARACTERS:]}"
        return self.compared.reasons.get(candidate) or "times of an emulated processor are not compared"


def _compared_anyway(first: Floats, second: Floats) -> Comparison | None:
    """Return the comparison over what both have, which decides nothing; None if they have nothing in common."""
    try:
        return compare(first, second)
    except NoData:
        return None


def _slowness(row: AnswerRow) -> tuple[float, str, str]:
    speed = row.throughput_bytes_per_second
    time = row.call_wall_ns if row.call_wall_ns is not None else None if speed is None else 1 / speed
    return math.inf if time is None else time, row.algorithm, row.provider


def _name(candidate: Candidate) -> str:
    of_build = f"{candidate.build_id} {candidate.copy}"
    variant = candidate.form.label(candidate.variant)
    return f"{candidate.algorithm} {candidate.provider} {variant} {of_build}"


def _interval(limits: Limits | None) -> Interval | None:
    return None if limits is None else Interval(low=limits.low, high=limits.high)
