"""Agents as the list of agents and the head of an agent's page show them."""

from orchestrator.agents.schemas import AgentSummary
from orchestrator.agents.selection import state_of
from orchestrator.web.agents.views import AgentCard
from orchestrator.web.views import AgentName


def agent_card(agent: AgentSummary) -> AgentCard:
    """Return an agent as a card."""
    columns = ("labels", "notes", "state", "activity", "notice", "last_heartbeat_at", "enrolled_at", "architecture",
               "memory_bytes", "processor", "undelivered_records", "health", "health_reason",
               "health_checked_at", "queue_closed_reason")  # fmt: skip
    return AgentCard(
        **{name: getattr(agent, name) for name in columns},
        shown_state=state_of(agent),
        agent=AgentName(id=agent.id, name=agent.name, live=agent.liveness == "live"),
        approved=agent.approved_at is not None,
        revoked=agent.revoked_at is not None,
        model=agent.device_model,
        emulated=bool(agent.emulated),
    )
