"""A plan that was expanded and estimated, as a preview shows it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.runs.planning.estimate import STORED_BYTES, Estimate
from orchestrator.runs.planning.expectation import Expectation
from orchestrator.runs.planning.offers import AgentOffer
from orchestrator.runs.planning.planner import Expansion, PlannedCase
from orchestrator.runs.schemas import (
    AgentEstimate,
    BuildEstimate,
    DetectableDifference,
    ExpectationSummary,
    MissingChunkSummary,
    OmissionSummary,
    PlanPreview,
)
from orchestrator.wire.plans import Plan

MAX_SHOWN = 1000
"""Omissions and missing chunks that a preview lists; the totals count all."""


@dataclass(frozen=True)
class Prepared:
    """A plan, expanded and estimated."""

    document: dict[str, Any]
    plan: Plan
    expansion: Expansion
    agents: dict[str, AgentOffer]
    estimates: dict[str, Estimate]
    expectations: dict[str, Expectation]
    builds: dict[str, list[BuildEstimate]]
    """For each agent what it has to build first."""

    @property
    def seconds(self) -> float:
        """Duration of the slowest agent's part."""
        return max((part.seconds for part in self.estimates.values()), default=0.0)

    @property
    def expected_executions(self) -> int:
        """Executions with those that rounds will add."""
        return self.expansion.executions_total + sum(part.more_executions for part in self.estimates.values())


def shown(prepared: Prepared) -> PlanPreview:
    """Return what the plan would do, in the words of the API."""
    expansion = prepared.expansion
    return PlanPreview(
        name=prepared.plan.name,
        plan=prepared.plan,
        cases=len(expansion.cases),
        executions_total=expansion.executions_total,
        expected_executions=prepared.expected_executions,
        agents=[_agent(prepared, agent_id, cases) for agent_id, cases in expansion.by_agent().items()],
        estimated_seconds=prepared.seconds,
        estimated_build_seconds=max(
            (sum(build.estimated_seconds for build in builds) for builds in prepared.builds.values()), default=0.0
        ),
        input_bytes=round(sum(part.input_bytes for part in prepared.estimates.values())),
        estimated_stored_bytes=STORED_BYTES * prepared.expected_executions,
        omissions=_omissions(prepared),
        omissions_total=len(expansion.omissions),
        missing_chunks=[
            MissingChunkSummary(
                kind=chunk.kind, length_bytes=chunk.length_bytes, field=chunk.field, remedy=chunk.remedy
            )
            for chunk in expansion.missing_chunks[:MAX_SHOWN]
        ],
    )


def _agent(prepared: Prepared, agent_id: str, cases: Sequence[PlannedCase]) -> AgentEstimate:
    part = prepared.estimates[agent_id]
    executions = len(cases) * prepared.expansion.passes.executions
    return AgentEstimate(
        agent_id=agent_id,
        agent_name=prepared.agents[agent_id].name,
        health=prepared.agents[agent_id].health,
        health_reason=prepared.agents[agent_id].health_reason,
        cases=len(cases),
        executions=executions,
        expected_executions=executions + part.more_executions,
        estimated_seconds=part.seconds,
        basis=part.basis,
        expectation=_expectation(prepared.expectations[agent_id], part.at_budget),
        builds=prepared.builds.get(agent_id, []),
    )


def _expectation(found: Expectation, cases_at_budget: int) -> ExpectationSummary:
    return ExpectationSummary(
        single_execution_spread=found.spread.single,
        expected_repetitions=found.repetitions,
        expected_relative_interval=found.relative_interval,
        inputs=found.inputs,
        detectable_difference=found.detectable_difference,
        repetitions_for_difference=[
            DetectableDifference(difference=difference, repetitions=repetitions)
            for difference, repetitions in found.repetitions_for_difference.items()
        ],
        cases_at_budget=cases_at_budget,
        reason=found.spread.reason,
    )


def _omissions(prepared: Prepared) -> list[OmissionSummary]:
    return [
        OmissionSummary(
            agent_id=omission.agent_id,
            agent_name=prepared.agents[omission.agent_id].name,
            provider=omission.provider,
            algorithm=omission.algorithm,
            variant=omission.variant,
            reason=omission.reason,
            executions=omission.executions,
        )
        for omission in prepared.expansion.omissions[:MAX_SHOWN]
    ]
