"""The page of all agents: a table in groups, searched, filtered and sorted by its address."""

from typing import Annotated

from fastapi import Depends, Request, Response

from orchestrator.agents import service as agents
from orchestrator.agents.endpoints import AgentQuery
from orchestrator.agents.selection import AgentOrder, Grouping, grouped, in_order, state_of
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

router = page_router()


@router.get("/agents")
def agent_list(
    *,
    request: Request,
    database: DatabaseDep,
    selection: Annotated[AgentQuery, Depends()],
    group: Grouping = "state",
    sort: AgentOrder = "name",
) -> Response:
    """Show the agents, by default those that are not revoked, in groups by state."""
    with database.read() as session:
        every = agents.list_all_agents(session)
    found = in_order((agent for agent in every if selection.includes(agent)), sort)
    view = {
        "agents": found,
        "groups": [
            {"title": title, "agent_ids": [agent.id for agent in own]} for title, own in grouped(found, group).items()
        ],
        "total": len(every),
        "narrowed": selection.narrowed,
        "states": sorted({state_of(agent) for agent in every}),
        "healths": sorted({agent.health for agent in every}),
        "labels": sorted({label for agent in every for label in agent.labels}),
        "architectures": sorted({agent.architecture for agent in every if agent.architecture}),
        "features": sorted({feature for agent in every for feature in agent.features}),
    }
    return page(request, "agents/agents.html", view)
