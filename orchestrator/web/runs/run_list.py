"""The front page: all runs, newest first."""

from fastapi import Request, Response

from orchestrator.agents import service as agents
from orchestrator.database.engine import Database
from orchestrator.dependencies import DatabaseDep
from orchestrator.runs import service as runs
from orchestrator.web.rendering import page
from orchestrator.web.routing import PageNumber, page_router
from orchestrator.web.runs.cards import run_card
from orchestrator.web.runs.tables import pages_of
from orchestrator.web.runs.views import RunListPage
from orchestrator.web.views import AgentName

RUNS_PER_PAGE = 25

router = page_router()


@router.get("/")
def run_list(request: Request, database: DatabaseDep, number: PageNumber = 1) -> Response:
    """Show the runs with their progress, newest first."""
    return page(request, "runs/runs.html", run_list_page(database, number))


def run_list_page(database: Database, number: int) -> RunListPage:
    """Return one page of runs and the agents that are not revoked."""
    latest = runs.list_latest_runs(database, (number - 1) * RUNS_PER_PAGE, RUNS_PER_PAGE)
    return RunListPage(
        runs=[run_card(run) for run in latest.items],
        page=number,
        pages=pages_of(latest.total, RUNS_PER_PAGE),
        agents=[
            AgentName(id=agent.id, name=agent.name, live=agent.liveness == "live")
            for agent in agents.list_all_agents(database)
            if agent.revoked_at is None
        ],
    )
