"""An imported series next to the cases of a run or the series of another import, without a ranking."""

from typing import Annotated

from fastapi import Query, Request, Response

from orchestrator.results.endpoints import ReadingsCacheDep
from orchestrator.results.imports import comparison as comparisons
from orchestrator.results.imports import service as imports
from orchestrator.results.imports.document import IMPORT_PREFIX
from orchestrator.results.imports.endpoints import ImportId
from orchestrator.results.measures import MEASURES
from orchestrator.runs import service as runs
from orchestrator.runs.selection import NEWEST_FIRST, RunSelection
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.shared.values.parameters import SearchText, WholeNumber
from orchestrator.web.charts.points import parse_ranking_measure
from orchestrator.web.rendering import page
from orchestrator.web.routing import Choice, page_router

ROWS_SHOWN = 200
OFFERED = 30

router = page_router()


@router.get("/imports/{import_id}/compare")
def compare(
    *,
    request: Request,
    database: DatabaseDep,
    cache: ReadingsCacheDep,
    import_id: ImportId,
    series: Annotated[WholeNumber, Query(ge=1, lt=2**63)] = 1,
    other: Annotated[SearchText, Query(alias="with", max_length=300)] = "",
    measure: Choice = "",
    q: Choice = "",
) -> Response:
    """Show an imported series next to a run or another import; without one, a form to choose it."""
    chosen = other.strip()
    found = None
    if chosen:
        selection = comparisons.ImportComparisonQuery(
            other=chosen,
            measure=parse_ranking_measure(measure),
            text=q.strip() or None,
            rows=ROWS_SHOWN,
        )
        found = comparisons.compare(database, cache, import_id, series, selection)
    latest = runs.list_selected_runs(database, RunSelection(), NEWEST_FIRST, 0, OFFERED).items
    view = {
        "found": imports.get_import(database, import_id),
        "series": imports.get_series(database, import_id, series),
        "other": chosen,
        "comparison": found,
        "runs": latest,
        "imports": imports.list_imports(database, None, OFFERED).items,
    }
    return page(request, "imports/comparison.html", view, measures=MEASURES, import_prefix=IMPORT_PREFIX)
