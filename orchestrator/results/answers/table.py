"""The candidates of one agent as the rows of a table, with their ranks, figures and reasons."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.builds.schemas import FootprintFigures
from orchestrator.results.answers import pooling
from orchestrator.results.answers.agents import AgentReadings
from orchestrator.results.answers.decision.defaults import beaten_defaults
from orchestrator.results.answers.readings import MEDIANS_OF_CASES, Candidate, CandidateReadings, Input
from orchestrator.results.answers.selection import Compared
from orchestrator.results.digests.verdicts import vouched_by, vouched_together
from orchestrator.results.measures import MEASURES, RankingMeasure
from orchestrator.results.schemas import AnswerInputs, AnswerRow, Interval, NoiseFloor
from orchestrator.statistics.incomplete import Level, levels
from orchestrator.statistics.location import Floats
from orchestrator.statistics.median import MIN_FOR_INTERVAL, ConfidenceInterval, MedianSummary, relative_interval
from orchestrator.statistics.paired import Comparison, compare_shared
from orchestrator.statistics.ranking import Doubt, ExactField, Field, Place
from orchestrator.wire.messages import Call, check_of

_DOUBTS: Mapping[Doubt, str] = {
    "blocks": f"fewer than {MIN_FOR_INTERVAL} blocks are shared",
    "inputs": "too few inputs are shared",
    "contradiction": "over the inputs that both have, the other one is faster",
    "errors": "the difference is within the errors of the figures",
}


@dataclass(frozen=True)
class AnswerTable:
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
        compared = tuple(self.compared.candidates), tuple(self.compared.inputs)
        return self.readings.agent.key, self.measure, *compared, *self.values.items()

    def field(self) -> Field | ExactField:
        """Return the candidates that are ranked."""
        agent = self.readings.agent
        if MEASURES[self.measure].exact and not agent.withdrawn:
            return ExactField({candidate_name(one): value for one, value in self.values.items()})
        if agent.unranked:
            return Field({})
        speeds = {candidate_name(one): self._speeds(one, self.compared.inputs) for one in self.compared.candidates}
        return Field(speeds, self.noise_floor.relative or 0.0)

    def rows(self, ranked: Sequence[Place]) -> list[AnswerRow]:
        """Return the ranked rows in their order, then the others with the reason, fastest first."""
        by_name = {candidate_name(candidate): candidate for candidate in self.candidates}
        leader = by_name[ranked[0].name] if ranked else None
        placed = {by_name[place.name]: place for place in ranked}
        labels = {name: self.readings.agent.label(candidate) for name, candidate in by_name.items()}
        rows = [self._ranked(candidate, place, labels) for candidate, place in placed.items()]
        others = [self._separate(one, leader) for one in sorted(self.candidates) if one not in placed]
        return rows + sorted(others, key=self._distance)

    def beaten_defaults(self, ranked: Sequence[Place]) -> str:
        """Return which default variant another one beats, in one sentence; empty for none, or if no time is ranked."""
        if not MEASURES[self.measure].timed or MEASURES[self.measure].exact:
            return ""
        by_name = {candidate_name(candidate): candidate for candidate in self.candidates}
        placed = {by_name[place.name]: place for place in ranked}
        listed = self.readings.agent.implementations
        return beaten_defaults(placed, listed, lambda one: self._speeds(one, self.compared.inputs))

    def _ranked(self, candidate: Candidate, place: Place, labels: Mapping[str, str]) -> AnswerRow:
        own = self.compared.of(candidate)
        figures = self.figures(candidate, place) | self._means(candidate, self.compared.inputs)
        behind = place.behind_leader
        return self._row(
            candidate, own, figures, behind,
            **rank_fields(place, labels),
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
            # Over what both have, which decides nothing.
            behind = compare_shared(self._speeds(leader, own), self._speeds(candidate, own))
        return self._row(
            candidate,
            own,
            figures,
            behind,
            reason=self._reason(candidate),
        )

    def _row(
        self,
        candidate: Candidate,
        own: Sequence[Input],
        figures: dict[str, Any],
        behind: Comparison | None,
        **place: Any,
    ) -> AnswerRow:
        readings, gain = self.candidates[candidate], self._batch_gain(candidate, own)
        return AnswerRow(
            **self.readings.agent.identity(candidate),
            inputs=input_summary(own),
            **figures,
            behind=behind.ratio if behind else self._exactly_behind(candidate),
            behind_interval=Interval.of(behind.interval if behind else None),
            behind_inputs=behind.inputs if behind else None,
            behind_blocks=behind.blocks if behind else None,
            superiority=behind.effect.superiority if behind else None,
            standardized_difference=behind.effect.standardized if behind else None,
            batch_gain=gain.ratio if gain else None,
            batch_gain_interval=Interval.of(gain.interval if gain else None),
            vouched_by=self._vouched_by(candidate, own),
            peak_rss_bytes=max(readings.peak_rss_bytes, default=None),
            footprint=self._footprint(candidate),
            source=self.readings.agent.source(candidate)[0],
            source_reason=self.readings.agent.source(candidate)[1],
            outliers=sum(readings.outliers.get(one, 0) for one in own),
            **vars(readings.counts),
            **place,
        )

    def _speeds(self, candidate: Candidate, inputs: Sequence[Input]) -> Floats:
        return self.candidates[candidate].speeds(self.measure, inputs)

    def _batch_gain(self, candidate: Candidate, batches: Sequence[Input]) -> Comparison | None:
        """Return the comparison of batches with the same calls on one message; None where one was not measured."""
        if not any(Call.of(given.operation).is_batch for given in batches):
            return None
        calls = {_call(given): given for given in self.candidates[candidate].of(self.measure)}
        alone = [calls.get(_call(replace(given, operation=Call.of(given.operation).operation))) for given in batches]
        if None in alone:
            return None
        singles = [given for given in alone if given is not None]
        return compare_shared(self._speeds(candidate, batches), self._speeds(candidate, singles))

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
            limits = ConfidenceInterval(math.exp(level.interval.low), math.exp(level.interval.high))
        if not MEASURES[self.measure].rises:
            limits = limits and ConfidenceInterval(1 / limits.high, 1 / limits.low)
            speed = 1 / speed
        return {
            "value": speed,
            "interval": Interval.of(limits),
            "relative_interval": relative_interval(MedianSummary(level.readings, speed, limits)),
            "n": level.readings,
        }

    def _means(self, candidate: Candidate, inputs: Sequence[Input]) -> dict[str, Any]:
        """Return the figures that are medians of cases; None where a case of these inputs is missing."""
        readings, calls = self.candidates[candidate], self.measure == "call"
        return {
            name: pooling.geometric_mean(readings.medians[name], inputs)
            for name in MEDIANS_OF_CASES
            if calls or name not in ("call_cpu_ns", "cold_call_wall_ns")
        }

    def _vouched_by(self, candidate: Candidate, inputs: Sequence[Input]) -> str | None:
        ok, vouching = self.candidates[candidate].counts.ok, self.readings.vouching
        encrypting = [given for given in inputs if not given.operation or check_of(given.operation) == "digest"]
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
        failure = self.readings.agent.build_failure(candidate)
        return failure or self.compared.reasons.get(candidate) or self.readings.agent.unranked


def _call(given: Input) -> tuple[Hashable, ...]:
    return given.operation, given.key_setup, given.length_bytes, given.associated_data_bytes, given.timing


def place_fields(place: Place) -> dict[str, Any]:
    """Return the fields of a place (schemas.PlaceFields)."""
    return {
        "rank": place.rank,
        "last_rank": place.last_rank,
        "groups": list(place.groups),
        "undecided": place.undecided is not None,
    }


def rank_fields(place: Place, labels: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a place (schemas.RankFields); labels: of the candidates by their names."""
    found = place_fields(place) | {"verdict": place.verdict}
    if (doubt := place.undecided) is not None:
        others = f" and {doubt.others} more" if doubt.others else ""
        found["reason"] = f"undecided against {labels[doubt.name]}{others}: {_DOUBTS[doubt.doubt]}"
    return found


def input_summary(inputs: Sequence[Input]) -> AnswerInputs:
    """Return the number, kinds, lengths and operations of inputs."""
    calls = [one for one in inputs if one.operation]
    return AnswerInputs(
        count=len(inputs),
        kinds=pooling.kinds(inputs),
        lengths_bytes=pooling.lengths_bytes(inputs),
        operations=sorted({one.operation for one in calls}),
        key_setups=sorted({one.key_setup for one in calls}),
        associated_data_lengths_bytes=sorted({one.associated_data_bytes for one in calls}),
    )


def candidate_name(candidate: Candidate) -> str:
    """Return the name of a candidate in a ranking, which no other candidate of its agent has."""
    of_build = f"{candidate.build_id} {candidate.copy}"
    variant = candidate.form.label(candidate.variant)
    return f"{candidate.algorithm} {candidate.provider} {variant} {of_build}"
