"""The front page: the runs, searched, filtered and sorted by its address."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

from fastapi import Depends, Query, Request, Response
from pydantic import Field

from orchestrator.agents import service as agents
from orchestrator.runs import service as runs
from orchestrator.runs.endpoints import RunQuery
from orchestrator.runs.selection import NEWEST_FIRST, Order, RunSelection
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.web.rendering import page
from orchestrator.web.routing import PageNumber, page_router, pages_of

RUNS_PER_PAGE = 25
_FIRST_DAY, _LAST_DAY = date(1970, 1, 2), date(2199, 12, 30)

Day = Annotated[date | None, Field(ge=_FIRST_DAY, le=_LAST_DAY)]

router = page_router()


def _selection(
    *,
    selection: Annotated[RunQuery, Depends()],
    first: Annotated[Day, Query(alias="from")] = None,
    last: Annotated[Day, Query(alias="to")] = None,
) -> RunSelection:
    """Return the selection of the API, or that of the days of the form, which are both included."""
    return replace(
        selection,
        since=datetime.combine(first, time(), UTC) if first else selection.since,
        until=datetime.combine(last, time(), UTC) + timedelta(days=1) if last else selection.until,
    )


@router.get("/")
def run_list(
    request: Request,
    database: DatabaseDep,
    selection: Annotated[RunSelection, Depends(_selection)],
    sort: Order = NEWEST_FIRST,
    number: PageNumber = 1,
) -> Response:
    """Show the runs with their progress, by default newest first, and the agents that are not revoked."""
    with database.read() as session:
        found = runs.list_selected_runs(session, selection, sort, (number - 1) * RUNS_PER_PAGE, RUNS_PER_PAGE)
        hidden = 0
        if not found.total and not selection.narrowed:
            hidden = runs.list_selected_runs(session, RunSelection(archived="only"), sort, 0, 0).total
        every = agents.list_all_agents(session)
    view = {
        "runs": found.items,
        "total": found.total,
        "archived": hidden,
        "narrowed": selection.narrowed,
        "tags": found.tags,
        "page": number,
        "pages": pages_of(found.total, RUNS_PER_PAGE),
        "agents": [agent for agent in every if agent.revoked_at is None],
    }
    return page(request, "runs/runs.html", view)
