"""The comparison of runs: ratios of the cases that they have in common, and what changed between them."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse

from orchestrator.database.engine import ReadSession
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.comparisons import imported
from orchestrator.results.comparisons.choices import service as choices
from orchestrator.results.comparisons.choices.schemas import SideChoices
from orchestrator.results.comparisons.schemas import MAX_SIDES, MIN_SIDES
from orchestrator.results.comparisons.sides import parse_side
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.results.freshness.service import snapshot_of
from orchestrator.results.imports.document import IMPORT_PREFIX
from orchestrator.results.measures import MEASURES
from orchestrator.runs import service as runs
from orchestrator.runs.repository import require_run
from orchestrator.runs.selection import NEWEST_FIRST, RunSelection
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.errors import Conflict, InvalidRequest, NotFound
from orchestrator.web.rendering import HEADERS, html, page, wants_json
from orchestrator.web.routing import page_router
from orchestrator.web.runs.comparisons.query import ComparisonQuery, comparison_query

ROWS_SHOWN = 200
RUNS_OFFERED = 50

router = page_router()


@router.get("/compare")
def comparison(
    *,
    request: Request,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    query: Annotated[ComparisonQuery, Depends(comparison_query)],
) -> Response:
    """Show two or more runs case by case, with lists to choose them and their parts.

    The form's lists and the shortcuts lead to the address that names the sides as the API and the command line do.
    """
    if not query.canonical:
        return _redirect(request, query.address(query.sides))
    try:
        if query.by is not None and query.sides:
            with snapshot_of(database, parse_side(query.sides[0]).run_id) as seen:
                sides = choices.suggested_sides(seen, query.by)
            return _redirect(request, query.address(sides))
        imported.catch_up_sides(database, query.sides)
        with database.read() as session:
            view = _view(session, cache, query)
        return page(request, "answers/comparison.html", view, measures=MEASURES)
    except (Conflict, InvalidRequest, NotFound) as error:
        if wants_json(request):
            raise
        with database.read() as session:
            view = _view(session, None, query)
        return html(request, "answers/comparison.html", error.status, view=view, problem=error, measures=MEASURES)


def _redirect(request: Request, address: str) -> Response:
    if wants_json(request):
        address += "&format=json"
    return RedirectResponse(address, HTTPStatus.SEE_OTHER, headers=HEADERS)


def _view(session: ReadSession, cache: ReadingsCache | None, query: ComparisonQuery) -> dict[str, Any]:
    """Return the facts of the page; without a cache those of the form alone, with what exists of the sides."""
    found = None
    if cache is not None and len(query.sides) >= MIN_SIDES and not query.listing:
        found = imported.compare(session, cache, query.sides, query.measure, ROWS_SHOWN)
    forms = [_choices(session, side, tolerant=cache is None) for side in query.sides]
    if forms and query.sides[0].startswith(IMPORT_PREFIX):
        # A run comes first.
        forms = [None, *forms]
    empty = 1 if found and len(forms) < MAX_SIDES else max(0, MIN_SIDES - len(forms))
    alone = forms[0].run_id if len(forms) == 1 and forms[0] and forms[0].cases else None
    searched = RunSelection(text=query.searched or None)
    return {
        "sides": query.sides,
        "comparison": found,
        "forms": [*forms, *[None] * empty],
        "runs": runs.list_selected_runs(session, searched, NEWEST_FIRST, 0, RUNS_OFFERED).items,
        "comparable": choices.list_comparable(session, require_run(session, alone)) if alone else [],
        "searched": query.searched,
    }


def _choices(session: ReadSession, side: str, *, tolerant: bool) -> SideChoices | None:
    """Return the parts of a side to choose from; None where the caller is tolerant of a side that does not exist."""
    try:
        get_choices = imported.get_choices if side.startswith(IMPORT_PREFIX) else choices.get_choices
        return get_choices(session, side)
    except (InvalidRequest, NotFound):
        if not tolerant:
            raise
        return None
