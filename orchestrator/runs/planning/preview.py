"""The API's preview of a prepared plan. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from orchestrator.runs.chunks.schemas import ChunkEstimate
from orchestrator.runs.planning.estimation.estimate import STORED_BYTES
from orchestrator.runs.planning.expansion import PlannedCase
from orchestrator.runs.planning.preparation import PreparedPlan
from orchestrator.runs.schemas import (
    AgentEstimate,
    AgentMatchSummary,
    BuildEstimate,
    OmissionSummary,
    PlanPreview,
)
from orchestrator.wire.messages import phases_of

MAX_LISTED = 1000
"""Maximum of omissions, missing chunks and agents that a preview lists; its totals count all."""


def preview_of(
    prepared: PreparedPlan, builds: Mapping[str, list[BuildEstimate]], making: ChunkEstimate | None
) -> PlanPreview:
    """Return the preview of a plan.

    builds: the builds that each agent has to make first. making: the making of the missing chunks.
    """
    expansion = prepared.expansion
    return PlanPreview(
        name=prepared.plan.name,
        plan=prepared.plan,
        cases=len(expansion.cases),
        phases=_phases(expansion.cases),
        executions_total=expansion.executions_total,
        expected_executions=prepared.expected_executions,
        agents=[
            _agent(prepared, agent_id, cases, builds.get(agent_id, []))
            for agent_id, cases in expansion.by_agent().items()
        ],
        estimated_seconds=prepared.estimated_seconds,
        estimated_build_seconds=max(
            (sum(build.estimated_seconds for build in of_agent) for of_agent in builds.values()), default=0.0
        ),
        input_bytes=round(sum(part.input_bytes for part in prepared.estimates.values())),
        estimated_stored_bytes=STORED_BYTES * prepared.expected_executions,
        agent_matches=[
            AgentMatchSummary(
                agent_id=match.agent.agent_id,
                agent_name=match.agent.name,
                labels=list(match.agent.labels),
                matches=match.matches,
                reasons=match.reasons,
            )
            for match in expansion.matches[:MAX_LISTED]
        ],
        omissions=_omissions(prepared),
        omissions_total=len(expansion.omissions),
        missing_chunks=list(expansion.missing_chunks[:MAX_LISTED]),
        chunk_estimate=making,
    )


def _phases(cases: Sequence[PlannedCase]) -> dict[str, bool]:
    """Return the operations of the cases as phases, and whether they process the message."""
    # A plan may have a hundred thousand cases, and an implementation is one object in all of its cases.
    some = {(id(case.implementation), case.operation): case for case in cases}.values()
    return {phase: phase in phases_of(case.message_operations) for case in some for phase in phases_of(case.operation)}


def _agent(
    prepared: PreparedPlan, agent_id: str, cases: Sequence[PlannedCase], builds: list[BuildEstimate]
) -> AgentEstimate:
    part = prepared.estimates[agent_id]
    executions = len(cases) * prepared.expansion.purposes.total
    return AgentEstimate(
        agent_id=agent_id,
        agent_name=prepared.agents[agent_id].name,
        health=prepared.agents[agent_id].health,
        health_reason=prepared.agents[agent_id].health_reason,
        health_checked_at=prepared.agents[agent_id].health_checked_at,
        cases=len(cases),
        executions=executions,
        expected_executions=executions + part.more_executions,
        estimated_seconds=part.seconds,
        basis=part.basis,
        expectation=prepared.expectations[agent_id],
        library_versions=_library_versions(cases),
        builds=builds,
    )


def _library_versions(cases: Sequence[PlannedCase]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for build in dict.fromkeys(case.build for case in cases):
        library = build.toolchain.library if build.toolchain else None
        if library is not None and library.version not in found.setdefault(library.provider, []):
            found[library.provider].append(library.version)
    return found


def _omissions(prepared: PreparedPlan) -> list[OmissionSummary]:
    return [
        OmissionSummary(agent_name=prepared.agents[omission.agent_id].name, **asdict(omission))
        for omission in prepared.expansion.omissions[:MAX_LISTED]
    ]
