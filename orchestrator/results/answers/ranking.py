"""The answer of one agent: its candidates ranked with ties, and a summary sentence.

Candidates are compared pair by pair, over the inputs that both have and within the same blocks. A candidate with too
little in common with the others is listed below them without a rank, with the reason. Tables of emulated agents have no
ranks: their times mean nothing.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from orchestrator.errors import NoData
from orchestrator.results.answers import pooling, sentence, trends
from orchestrator.results.answers.decision.constraints import (
    ImplementationFacts,
    missing_kinds,
    nearest,
    stack_bytes,
    violations,
)
from orchestrator.results.answers.decision.front import Figures, Identity, front_of
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.readings import MEDIANS_OF_CASES, Candidate, CandidateReadings, Input
from orchestrator.results.answers.selection import Compared, compared, compared_exactly
from orchestrator.results.digests.verdicts import vouched_by, vouched_together
from orchestrator.results.measures import MEASURES
from orchestrator.results.schemas import (
    AgentAnswer,
    AnswerInputs,
    AnswerRow,
    ExcludedCandidate,
    FootprintFigures,
    Interval,
    NoiseFloor,
    ParetoFront,
    ProcessOverhead,
    RankingMeasure,
)
from orchestrator.statistics.incomplete import Level, levels
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import MIN_FOR_INTERVAL, MedianSummary, relative_interval
from orchestrator.statistics.median import Interval as Limits
from orchestrator.statistics.paired import Comparison, compare
from orchestrator.statistics.ranking import Doubt, ExactField, Field, Place, rank_together
from orchestrator.statistics.rankings.front import Front
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
    implementations: Mapping[Implementation, ImplementationFacts] = field(default_factory=dict)
    """Properties of implementations in the listings of their runners."""

    def constraint_values(self, candidate: Candidate) -> tuple[ImplementationFacts | None, FootprintFigures]:
        """Return what constraints apply to."""
        key = (candidate.build_id, candidate.provider, candidate.algorithm, candidate.variant)
        return self.implementations.get(key), self.footprints.get(key, NO_FOOTPRINT)


def answer(
    agent: AgentFacts, candidates: Mapping[Candidate, CandidateReadings], question: Question, measure: RankingMeasure
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
    against: Mapping[Candidate, CandidateReadings] = field(default_factory=dict)
    """Readings of the second measure."""


class Once(Protocol):
    """A cache of results: returns the one under a key, computed by the first call."""

    def __call__(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result under this key."""
        ...


def uncached(key: Hashable, compute: Callable[[], T]) -> T:
    """Return the result without storing it."""
    del key
    return compute()


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
    others: list[_Table] = []
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
) -> "_Table":
    kept = {one: own for one, own in candidates.items() if not violated[one]}
    values: dict[Candidate, float] = {}
    if MEASURES[measure].exact:
        sizes = {one: _exact_value(readings.agent, one, measure, question.operation) for one in kept}
        found = compared_exactly(kept, {one: value for one, (value, _) in sizes.items()},
                                 {one: reason for one, (_, reason) in sizes.items()})  # fmt: skip
        values = {one: value for one in found.candidates if (value := sizes[one][0]) is not None}
    else:
        key = ("compared", readings.agent.agent_id, measure, question.length_bytes, question.operation, tuple(kept))
        found = once(key, lambda: compared(kept, measure, question.includes))
    excluded = {one: reasons for one, reasons in violated.items() if reasons and one in candidates}
    return _Table(readings, kept, found, measure, values, excluded)


def _exact_value(
    agent: AgentFacts, candidate: Candidate, measure: RankingMeasure, operation: LatencyOperation | None
) -> tuple[float | None, str]:
    """Return the value of a measure without readings, and the reason if it is None."""
    footprint = agent.constraint_values(candidate)[1]
    value = {
        "code-size": footprint.code_bytes,
        "static-ram": footprint.static_ram_bytes,
        "stack": stack_bytes(footprint, operation),
    }[measure]
    return value, "" if value is not None else footprint.reason or "a part of it was not measured"


def _answer(table: "_Table", ranked: Sequence[Place], comparisons: int, question: Question) -> AgentAnswer:
    agent, candidates = table.readings.agent, table.candidates
    rows = table.rows(ranked)
    result = AgentAnswer(
        agent_id=agent.agent_id,
        agent_name=agent.name,
        device=agent.device,
        emulated=agent.emulated,
        measure=table.measure,
        unit=MEASURES[table.measure].unit,
        inputs=_input_summary(table.compared.inputs),
        blocks=max((len(next(iter(one.of(table.measure).values()), ())) for one in candidates.values()), default=0),
        noise_floor=table.noise_floor,
        health=agent.health,
        health_reason=agent.health_reason,
        trend=trends.agent_trend(table.readings.trend, agent.noise_floor.relative),
        comparisons=comparisons,
        overheads=list(table.readings.overheads),
        sentence="",
        rows=rows,
        rows_total=len(rows),
        excluded=table.excluded_rows(),
        front=None,
    )
    text = _nothing_meets(table, question) or sentence.summary_of(result)
    return result.model_copy(update={"sentence": text, "rows": rows[: question.rows]})


def _nothing_meets(table: "_Table", question: Question) -> str:
    """Return what the candidates have where the constraints exclude all of them; empty otherwise."""
    if table.candidates or not table.excluded:
        return ""
    agent, count = table.readings.agent, len(table.excluded)
    values = {one: agent.constraint_values(one) for one in table.excluded}
    footprints = {table.label(one): footprint for one, (_, footprint) in values.items()}
    found = missing_kinds(question.constraints, [facts for facts, _ in values.values()])
    found += nearest(question.constraints, footprints, question.operation)
    text = (
        f"On {agent.device} none of the {count} candidates meets the constraints "
        f"({', '.join(question.constraints.labels)})"
    )
    advice = "Loosen one of the constraints; the list of excluded candidates has the reason of each."
    return f"{text}{': ' + '; '.join(found) if found else ''}. {advice}"


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
    "value", "throughput_bytes_per_second", "call_wall_ns", "interval", "relative_interval", *MEDIANS_OF_CASES,
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
    candidates: Mapping[Candidate, CandidateReadings]
    """Those that meet the constraints."""
    compared: Compared
    measure: RankingMeasure
    values: Mapping[Candidate, float]
    """Exact values of a measure without readings."""
    excluded: Mapping[Candidate, Sequence[str]]

    @property
    def noise_floor(self) -> NoiseFloor:
        """Noise floor of the measure: the agent's for times and cycles, unknown for any other."""
        if MEASURES[self.measure].exact:
            return NoiseFloor(relative=None, reason="the values are exact")
        if not MEASURES[self.measure].timed:
            return NoiseFloor(relative=None, reason="the noise floor of an agent is one of times")
        return self.readings.agent.noise_floor

    @property
    def key(self) -> Hashable:
        """Everything that its ranking depends on, except the readings."""
        agent = self.readings.agent
        compared = tuple(self.compared.candidates), tuple(self.compared.inputs)
        return agent.agent_id, agent.emulated, self.measure, self.noise_floor.relative, *compared, *self.values.items()

    def field(self) -> Field | ExactField:
        """Return the candidates that are ranked."""
        if MEASURES[self.measure].exact:
            return ExactField({_name(one): value for one, value in self.values.items()})
        if self.readings.agent.emulated:
            return Field({})
        speeds = {_name(one): self._speeds(one, self.compared.inputs) for one in self.compared.candidates}
        return Field(speeds, self.noise_floor.relative or 0.0)

    def excluded_rows(self) -> list[ExcludedCandidate]:
        """Return the candidates that violate constraints, with the reasons."""
        return [ExcludedCandidate(**self.identity(one), reasons=list(why)) for one, why in self.excluded.items()]

    def identity(self, candidate: Candidate) -> dict[str, Any]:
        """Return the fields that name a candidate in an answer."""
        build = self.readings.agent.builds.get(candidate.build_id, _UNKNOWN_BUILD)
        return {
            "provider": candidate.provider,
            "algorithm": candidate.algorithm,
            "variant": candidate.variant,
            **candidate.form.fields,
            "copy_number": candidate.copy,
            "build_key": build.build_key,
            "toolchain": build.toolchain,
        }

    def label(self, candidate: Candidate) -> str:
        """Return a name that no other candidate of the agent has."""
        build = self.readings.agent.builds.get(candidate.build_id, _UNKNOWN_BUILD)
        copy = f" #{candidate.copy}" if candidate.copy > 1 else ""
        variant = candidate.form.label(candidate.variant)
        return f"{candidate.algorithm} by {candidate.provider} [{variant}, {build.toolchain}]{copy}"

    def rows(self, ranked: Sequence[Place]) -> list[AnswerRow]:
        """Return the ranked rows in their order, then the others with the reason, fastest first."""
        by_name = {_name(candidate): candidate for candidate in self.candidates}
        leader = by_name[ranked[0].name] if ranked else None
        placed = {by_name[place.name]: place for place in ranked}
        rows = [self._ranked(candidate, place) for candidate, place in placed.items()]
        others = [self._separate(one, leader) for one in sorted(self.candidates) if one not in placed]
        return rows + sorted(others, key=self._distance)

    def _ranked(self, candidate: Candidate, place: Place) -> AnswerRow:
        own = self.compared.of(candidate)
        figures = self.figures(candidate, place) | self._means(candidate, self.compared.inputs)
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
        readings = self.candidates[candidate]
        return AnswerRow(
            **self.identity(candidate),
            inputs=_input_summary(own),
            **(_NO_FIGURES | figures),
            behind=behind.ratio if behind else self._exactly_behind(candidate),
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
        return self.candidates[candidate].speeds(self.measure, inputs)

    def _exactly_behind(self, candidate: Candidate) -> float | None:
        """Return the candidate's exact value / the lowest one; None for the first one and where that is 0."""
        lowest, value = min(self.values.values(), default=0.0), self.values.get(candidate)
        return value / lowest if value and lowest and value != lowest else None

    def figures(self, candidate: Candidate, place: Place) -> dict[str, Any]:
        """Return the figure of a ranked candidate with its interval; an exact value has neither interval nor n."""
        if place.level is not None:
            return self._level(place.level)
        return {"value": self.values[candidate]}

    def _level(self, level: Level) -> dict[str, Any]:
        """Return a level as the figure that the table shows, with the number of readings behind it."""
        speed, limits = math.exp(level.middle), None
        if level.interval is not None:
            limits = Limits(math.exp(level.interval.low), math.exp(level.interval.high))
        if not MEASURES[self.measure].rises:
            limits = limits and Limits(1 / limits.high, 1 / limits.low)
            speed = 1 / speed
        return {
            "value": speed,
            "throughput_bytes_per_second": speed if self.measure in ("encrypt", "pass") else None,
            "call_wall_ns": speed if self.measure == "call" else None,
            "interval": _interval(limits),
            "relative_interval": relative_interval(MedianSummary(level.readings, speed, limits)),
            "n": level.readings,
        }

    def _means(self, candidate: Candidate, inputs: Sequence[Input]) -> dict[str, Any]:
        """Return the figures that are medians of cases; None where a case of these inputs is missing."""
        readings, calls = self.candidates[candidate], self.measure == "call"
        return {
            name: pooling.geometric_mean(getattr(readings, name), inputs)
            for name in MEDIANS_OF_CASES
            if calls or name not in ("call_cpu_ns", "cold_call_wall_ns")
        }

    def _vouched_by(self, candidate: Candidate, inputs: Sequence[Input]) -> str | None:
        ok, vouching = self.candidates[candidate].counts.ok, self.readings.vouching
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
        return self.readings.agent.constraint_values(candidate)[1]

    def _distance(self, row: AnswerRow) -> tuple[float, str, str]:
        """Return a key that sorts rows by their figure, best first, those without one last."""
        worst = math.inf if row.value is None else -row.value if MEASURES[self.measure].rises else row.value
        return worst, row.algorithm, row.provider

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


def _front(table: _Table, against: _Table, found: Front, ranked: Sequence[Sequence[Place]]) -> ParetoFront:
    """Return the Pareto front of the candidates that have both measures; ranked: the places by each of them."""
    by_name = {_name(one): one for one in table.candidates}
    figures = []
    for one, places in zip((table, against), ranked, strict=True):
        shown = {place.name: one.figures(by_name[place.name], place) for place in places if place.name in by_name}
        values = {name: (each["value"], each.get("interval")) for name, each in shown.items()}
        figures.append(Figures(one.measure, values))
    identities = {name: Identity(table.identity(one), table.label(one)) for name, one in by_name.items()}
    return front_of(found, identities, *figures)


def _name(candidate: Candidate) -> str:
    of_build = f"{candidate.build_id} {candidate.copy}"
    variant = candidate.form.label(candidate.variant)
    return f"{candidate.algorithm} {candidate.provider} {variant} {of_build}"


def _interval(limits: Limits | None) -> Interval | None:
    return None if limits is None else Interval(low=limits.low, high=limits.high)
