"""The page of all agents."""

from fastapi import Request, Response

from orchestrator.agents import service as agents
from orchestrator.dependencies import DatabaseDep
from orchestrator.web.agents.cards import agent_card
from orchestrator.web.agents.views import AgentListPage
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

router = page_router()


@router.get("/agents")
def agent_list(request: Request, database: DatabaseDep) -> Response:
    """Show all agents."""
    view = AgentListPage(agents=[agent_card(agent) for agent in agents.list_all_agents(database)])
    return page(request, "agents/agents.html", view)
