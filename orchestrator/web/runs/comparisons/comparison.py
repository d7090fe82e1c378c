"""The comparison of runs: ratios of the cases that they have in common, and what changed between them."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse

from orchestrator.database.engine import Database
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.comparisons.choices import service as choices
from orchestrator.results.comparisons.service import compare_runs
from orchestrator.results.comparisons.sides import MAX_SIDES, MIN_SIDES, parse_side
from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.results.measures import MEASURES
from orchestrator.runs import service as runs
from orchestrator.runs.selection import NEWEST_FIRST, RunSelection
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.errors import Conflict, InvalidRequest, NotFound
from orchestrator.web.rendering import HEADERS, html, page, wants_json
from orchestrator.web.routing import page_router
from orchestrator.web.runs.comparisons.query import ComparisonQuery, comparison_query
from orchestrator.web.runs.comparisons.views import ComparisonPage, RunChoice, SideForm

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
            sides = choices.suggested_sides(database, parse_side(query.sides[0]).run_id, query.by)
            return _redirect(request, query.address(sides))
        return page(request, "answers/comparison.html", _view(database, cache, query), measures=MEASURES)
    except (Conflict, InvalidRequest, NotFound) as error:
        if wants_json(request):
            raise
        view = _view(database, None, query).model_copy(update={"problem": error.detail, "remedy": error.remedy or ""})
        return html(request, "answers/comparison.html", error.status, view=view, measures=MEASURES)


def _redirect(request: Request, address: str) -> Response:
    if wants_json(request):
        address += "&format=json"
    return RedirectResponse(address, HTTPStatus.SEE_OTHER, headers=HEADERS)


def _view(database: Database, cache: ReadingsCache | None, query: ComparisonQuery) -> ComparisonPage:
    """Return the page; without a cache it has the form alone, with what exists of the sides."""
    found = None
    if cache is not None and len(query.sides) >= MIN_SIDES and not query.listing:
        found = compare_runs(database, cache, query.sides, query.measure, ROWS_SHOWN)
    forms = [_form(database, side, tolerant=cache is None) for side in query.sides]
    empty = 1 if found and len(forms) < MAX_SIDES else max(0, MIN_SIDES - len(forms))
    alone = forms[0].choices.run_id if len(forms) == 1 and forms[0].choices and forms[0].choices.cases else None
    return ComparisonPage(
        sides=query.sides,
        comparison=found,
        forms=[*forms, *[SideForm(run_id="", choices=None)] * empty],
        runs=_offered(database, query.searched, forms),
        comparable=choices.list_comparable(database, alone) if alone else [],
        searched=query.searched,
        problem="",
        remedy="",
    )


def _form(database: Database, side: str, *, tolerant: bool) -> SideForm:
    try:
        found = choices.get_choices(database, side)
    except (InvalidRequest, NotFound):
        if not tolerant:
            raise
        return SideForm(run_id="", choices=None)
    return SideForm(run_id=found.run_id, choices=found)


def _offered(database: Database, text: str, forms: Sequence[SideForm]) -> list[RunChoice]:
    """Return the latest runs, only those that contain a text if there is one, and the chosen runs."""
    latest = runs.list_selected_runs(database, RunSelection(text=text or None), NEWEST_FIRST, 0, RUNS_OFFERED).items
    offered = {one.id: RunChoice(id=one.id, name=one.name, submitted_at=one.submitted_at) for one in latest}
    for form in forms:
        if form.choices is not None and form.run_id not in offered:
            chosen = form.choices
            offered[form.run_id] = RunChoice(id=form.run_id, name=chosen.run_name, submitted_at=chosen.submitted_at)
    return list(offered.values())
