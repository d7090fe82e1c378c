"""The table of a traffic on one agent: costs with intervals, ranks, and the nearest changes. Pure."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.results.answers.agents import AgentFacts
from orchestrator.results.answers.readings import Candidate, Candidates
from orchestrator.results.answers.table import candidate_name, rank_fields
from orchestrator.results.case_statistics import NS_PER_SECOND
from orchestrator.results.schemas import Interval
from orchestrator.results.traffic import sentences
from orchestrator.results.traffic.costs import Calls, measured_share, times_of
from orchestrator.results.traffic.schemas import AgentTraffic, TrafficChange, TrafficRow
from orchestrator.statistics.mixtures.changes import MixtureChange, nearest_changes
from orchestrator.statistics.mixtures.cost import InterpolationError, Mixture, Times
from orchestrator.statistics.paired import Floats
from orchestrator.statistics.ranking import Field, Place


@dataclass(frozen=True)
class TrafficTable:
    """The candidates of one agent with their times, or the reason for having no cost."""

    agent: AgentFacts
    mixture: Mixture
    times: Mapping[Candidate, Times]
    reasons: Mapping[Candidate, str]
    excluded: Mapping[Candidate, Sequence[str]]

    @classmethod
    def of(
        cls,
        agent: AgentFacts,
        candidates: Candidates,
        calls: Calls,
        mixture: Mixture,
        excluded: Mapping[Candidate, Sequence[str]],
    ) -> "TrafficTable":
        """Return the table of an agent's candidates; excluded: those that violate constraints, with the reasons."""
        found = {
            one: agent.build_failure(one) or times_of(own, calls, mixture)
            for one, own in sorted(candidates.items())
            if one not in excluded
        }
        times = {one: own for one, own in found.items() if isinstance(own, Times)}
        return cls(agent, mixture, times, {one: why for one, why in found.items() if isinstance(why, str)}, excluded)

    @property
    def noise_floor(self) -> float:
        """Noise floor of the agent; 0 where it is unknown."""
        return self.agent.noise_floor.relative or 0.0

    @property
    def key(self) -> Hashable:
        """Everything that its ranking depends on, except the readings and the traffic."""
        return self.agent.key, tuple(self.times)

    def field(self) -> Field:
        """Return the candidates that are ranked; those of an emulated or distrusted agent are not."""
        if self.agent.unranked:
            return Field({})
        speeds: dict[str, Floats] = {
            candidate_name(one): 1 / own.sums_ns(self.mixture)[:, None] for one, own in self.times.items()
        }
        errors = {candidate_name(one): own.interpolation_error(self.mixture).above for one, own in self.times.items()}
        return Field(speeds, self.noise_floor, errors)

    def changes(self, places: Sequence[Place]) -> list[MixtureChange]:
        """Return the nearest changes of the traffic after which another one is the cheapest.

        None if another one may be the cheapest already.
        """
        if not places or places[0].last_rank > 1:
            return []
        named = {candidate_name(one): own for one, own in self.times.items()}
        others = [place.name for place in places[1:]]
        return nearest_changes(places[0].name, others, named, self.mixture, self.noise_floor)

    def answer(
        self, places: Sequence[Place], changes: Sequence[MixtureChange], comparisons: int, rows: int
    ) -> AgentTraffic:
        """Return the agent's part of the answer; places: of the ranking; rows: the maximum."""
        by_name = {candidate_name(one): one for one in self.times}
        labels = {name: self.agent.label(one) for name, one in by_name.items()}
        ranked = [self._ranked(by_name[place.name], place, labels) for place in places]
        others = [self._without_cost(one, why) for one, why in self.reasons.items()]
        if unranked := self.agent.unranked:
            others = [self._without_cost(one, unranked) for one in self.times] + others
        found = [*ranked, *others]
        shown = [
            TrafficChange(
                **(vars(one) | {"winner": labels[one.winner]}), sentence=sentences.change(one, labels[one.winner])
            )
            for one in changes
        ]
        result = AgentTraffic.from_row(
            self.agent,
            comparisons=comparisons,
            sentence="",
            rows=found,
            rows_total=len(found),
            changes=shown,
            excluded=self.agent.excluded(self.excluded),
        )
        names = [labels[place.name] for place in places]
        sentence = sentences.summary(result, names)
        return result.model_copy(update={"sentence": sentence, "rows": found[:rows]})

    def _ranked(self, candidate: Candidate, place: Place, labels: Mapping[str, str]) -> TrafficRow:
        times, behind = self.times[candidate], place.behind_leader
        error = times.interpolation_error(self.mixture)
        cost_ns, interval = _figures(place, error)
        setups_ns = self.mixture.key_changes * times.typical_key_setup_ns
        return TrafficRow(
            **self.agent.identity(candidate),
            **self._measured(times),
            **rank_fields(place, labels),
            cost_ns=cost_ns,
            interval=interval,
            interpolation_error=error.above,
            key_changes_share=setups_ns / times.cost_ns(self.mixture),
            bytes_per_second=self.mixture.mean_bytes * NS_PER_SECOND / cost_ns if self.mixture.mean_bytes else None,
            behind=behind.ratio if behind else None,
            behind_interval=Interval.of(behind.interval if behind else None),
            adjusted_p=place.adjusted_p,
            blocks=place.level.readings if place.level else 0,
        )

    def _without_cost(self, candidate: Candidate, reason: str) -> TrafficRow:
        times = self.times.get(candidate)
        measured = self._measured(times) if times else {}
        return TrafficRow(**self.agent.identity(candidate), **measured, reason=reason)

    def _measured(self, times: Times) -> dict[str, Any]:
        return {
            "measured_bytes": list(times.lengths_bytes), "measured_share": measured_share(times, self.mixture)
        }  # fmt: skip


def _figures(place: Place, error: InterpolationError) -> tuple[float, Interval | None]:
    """Return the cost in nanoseconds and its interval, widened by the error of interpolation."""
    if place.level is None:
        raise ValueError("a cost has a level: it is no exact value")
    limits = place.level.interval
    if limits is None:
        return math.exp(-place.level.middle), None
    low, high = math.exp(-limits.high) * (1 - error.below), math.exp(-limits.low) * (1 + error.above)
    return math.exp(-place.level.middle), Interval(low=max(0.0, low), high=high)
