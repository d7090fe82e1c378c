"""The front page: the runs, searched, filtered and sorted by its address."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, Literal

from fastapi import Depends, Query, Request, Response
from pydantic import AfterValidator

from orchestrator.agents import service as agents
from orchestrator.database.engine import Database
from orchestrator.runs import service as runs
from orchestrator.runs.schemas import RunStateName
from orchestrator.runs.selection import NEWEST_FIRST, Archived, Order, RunSelection
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.values.parameters import SearchText
from orchestrator.web.rendering import page
from orchestrator.web.routing import Choice, PageNumber, page_router, pages_of

RUNS_PER_PAGE = 25
_FIRST_DAY, _LAST_DAY = date(1970, 1, 2), date(2199, 12, 30)

router = page_router()


def _day(text: str) -> date | None:
    """Return the day of a form's field, None for an empty one; raise ValueError for another text."""
    if not text:
        return None
    found = date.fromisoformat(text)
    if not _FIRST_DAY <= found <= _LAST_DAY:
        raise ValueError(f"expected a day from {_FIRST_DAY} to {_LAST_DAY}")
    return found


def _is_day(text: str) -> str:
    _day(text)
    return text


Day = Annotated[SearchText, Query(max_length=10), AfterValidator(_is_day)]


def _selection(
    *,
    text: Annotated[SearchText, Query(alias="q", max_length=80)] = "",
    state: Literal["", RunStateName] = "",
    agent: Choice = "",
    tag: Choice = "",
    since: Day = "",
    until: Day = "",
    archived: Archived = "exclude",
) -> RunSelection:
    # Forms send an empty value for "all".
    first, last = _day(since), _day(until)
    return RunSelection(
        text=text.strip() or None,
        state=state or None,
        agent_id=agent or None,
        tag=tag or None,
        since=datetime.combine(first, time(), UTC) if first else None,
        until=datetime.combine(last, time(), UTC) + timedelta(days=1) if last else None,
        archived=archived,
    )


@router.get("/")
def run_list(
    request: Request,
    database: DatabaseDep,
    selection: Annotated[RunSelection, Depends(_selection)],
    sort: Order = NEWEST_FIRST,
    number: PageNumber = 1,
) -> Response:
    """Show the runs with their progress, by default newest first."""
    return page(request, "runs/runs.html", run_list_page(database, selection, sort, number))


def run_list_page(database: Database, selection: RunSelection, sort: Order, number: int) -> dict[str, Any]:
    """Return one page of runs and the agents that are not revoked."""
    found = runs.list_selected_runs(database, selection, sort, (number - 1) * RUNS_PER_PAGE, RUNS_PER_PAGE)
    hidden = 0
    if not found.total and not selection.narrowed:
        hidden = runs.list_selected_runs(database, RunSelection(archived="only"), sort, 0, 0).total
    return {
        "runs": found.items,
        "total": found.total,
        "archived": hidden,
        "narrowed": selection.narrowed,
        "tags": found.tags,
        "page": number,
        "pages": pages_of(found.total, RUNS_PER_PAGE),
        "agents": [agent for agent in agents.list_all_agents(database) if agent.revoked_at is None],
    }
