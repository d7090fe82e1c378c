"""Preparation of a plan for its preview, its submission and its layout: expanded on the agents as they are now."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from orchestrator.database.engine import Database
from orchestrator.runs.chunks.service import register
from orchestrator.runs.planning.budget import MAX_STEPS
from orchestrator.runs.planning.estimation.estimate import (
    Estimate,
    History,
    Workload,
    estimate,
    measured_key,
    seconds_of,
)
from orchestrator.runs.planning.estimation.expectation import expect
from orchestrator.runs.planning.estimation.repository import read_history
from orchestrator.runs.planning.expansion import Expansion, PartSize
from orchestrator.runs.planning.offers import AgentOffer
from orchestrator.runs.planning.planner import expand
from orchestrator.runs.planning.repository import read_offers
from orchestrator.runs.schemas import ExpectationSummary
from orchestrator.shared.settings import ServiceSettings
from orchestrator.wire.plans import Plan


@dataclass(frozen=True)
class PreparedPlan:
    """A plan, its expansion, and the earlier results that its estimates are based on."""

    plan: Plan
    expansion: Expansion
    agents: Mapping[str, AgentOffer]
    """All agents by id, including those that the plan does not use."""
    history: History

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """Estimate of each agent's part."""
        work = Workload.of(self.plan, self.expansion.purposes, self.history.dispersions)
        return estimate(self.expansion.cases, work, self.history.measured)

    @cached_property
    def expectations(self) -> dict[str, ExpectationSummary]:
        """Expected precision on each agent."""
        return {
            agent_id: expect(self.plan, self.history.dispersions[agent_id], cases, self.estimates[agent_id].at_budget)
            for agent_id, cases in self.expansion.by_agent().items()
        }

    @cached_property
    def execution_seconds(self) -> dict[int, float]:
        """Case number → estimated seconds of one execution."""
        return {case.number: seconds_of(measured_key(case), self.history.measured)[0] for case in self.expansion.cases}

    @property
    def estimated_seconds(self) -> float:
        """Duration of the slowest agent's part."""
        return max((part.seconds for part in self.estimates.values()), default=0.0)

    def sizes(self) -> list[PartSize]:
        """Return the size of each agent's part."""
        return [
            PartSize(agent_id, len(cases) * self.expansion.purposes.total, self.estimates[agent_id].seconds)
            for agent_id, cases in self.expansion.by_agent().items()
        ]

    def part(self, agent_ids: Collection[str], first_number: int) -> "PreparedPlan":
        """Return the part of these agents; its cases are numbered from `first_number`."""
        expansion = self.expansion
        cases = [case for case in expansion.cases if case.agent_id in agent_ids]
        omissions = [omission for omission in expansion.omissions if omission.agent_id in agent_ids]
        part = replace(
            expansion,
            cases=tuple(replace(case, number=number) for number, case in enumerate(cases, first_number)),
            omissions=tuple(omissions),
        )
        return PreparedPlan(self.plan, part, self.agents, self.history)

    @property
    def expected_executions(self) -> int:
        """Executions, including those that rounds are expected to add."""
        return self.expansion.executions_total + sum(part.more_executions for part in self.estimates.values())


def prepare(
    database: Database,
    settings: ServiceSettings,
    plan: Plan,
    *,
    accept_failed_builds: bool = False,
    agent_ids: Collection[str] = (),
) -> PreparedPlan:
    """Return the plan, expanded on the agents, builds and chunks that exist now; raise PlanRefused as `expand` does.

    accept_failed_builds: whether the cases of a toolchain that could not be built are skipped, as in a run that waited
    for the build; otherwise the toolchain is built again. agent_ids: the agents of a run; without them, those that
    match the plan now.
    """
    register(database, settings.corpus_folder)
    with database.read() as session:
        offers, chunks = read_offers(session, plan, accept_failed_builds=accept_failed_builds)
    if agent_ids:
        offers = [offer for offer in offers if offer.agent_id in agent_ids]
    # A plan that was accepted is laid out, even if its agents have more runners by then.
    max_steps = None if agent_ids else MAX_STEPS
    expansion = expand(plan, offers, chunks, settings.max_executions, resolved=bool(agent_ids), max_steps=max_steps)
    with database.read() as session:
        history = read_history(session, sorted(expansion.by_agent()))
    return PreparedPlan(plan, expansion, {offer.agent_id: offer for offer in offers}, history)
