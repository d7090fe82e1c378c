"""The comparison of runs: ratios of the cases that they have in common, and what changed between them."""

from typing import Annotated

from fastapi import Query, Request, Response

from orchestrator.dependencies import DatabaseDep
from orchestrator.results.comparisons.endpoints import Side
from orchestrator.results.comparisons.service import MAX_SIDES, MIN_SIDES, compare_runs
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.results.measures import MEASURES
from orchestrator.runs import service as runs
from orchestrator.runs.selection import NEWEST_FIRST, RunSelection
from orchestrator.web.charts.points import parse_ranking_measure
from orchestrator.web.rendering import page
from orchestrator.web.routing import Choice, page_router
from orchestrator.web.runs.answers.views import ComparisonPage, RunChoice

ROWS_SHOWN = 200
RUNS_OFFERED = 50

SidesQuery = Annotated[list[Side], Query(alias="run", max_length=MAX_SIDES)]

router = page_router()


@router.get("/compare")
def comparison(
    *,
    request: Request,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    run: SidesQuery = [],  # noqa: B006 - FastAPI copies it
    measure: Choice = "",
) -> Response:
    """Show two or more runs case by case; with fewer, a form to choose them."""
    sides = [side for side in run if side.strip()]
    latest = runs.list_selected_runs(database, RunSelection(), NEWEST_FIRST, 0, RUNS_OFFERED).items
    found = None
    if len(sides) >= MIN_SIDES:
        found = compare_runs(database, cache, sides, parse_ranking_measure(measure), ROWS_SHOWN)
    view = ComparisonPage(
        sides=sides,
        comparison=found,
        runs=[RunChoice(id=one.id, name=one.name, submitted_at=one.submitted_at) for one in latest],
    )
    return page(request, "answers/comparison.html", view, measures=MEASURES)
