"""The list of imports with the form that adds one, and an import: what its file states, and its series."""

from fastapi import Request, Response

from orchestrator.results.imports import service as imports
from orchestrator.results.imports.document import MAX_FILE_BYTES
from orchestrator.results.imports.endpoints import ImportId, SeriesText
from orchestrator.service.dependencies import CursorQuery, DatabaseDep
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

IMPORTS_PER_PAGE = 25
SERIES_PER_PAGE = 100

router = page_router()


@router.get("/imports")
def import_list(request: Request, database: DatabaseDep, cursor: CursorQuery = None) -> Response:
    """Show the imported files, newest first."""
    found = imports.list_imports(database, cursor, IMPORTS_PER_PAGE)
    view = {"imports": found.items, "next_cursor": found.next_cursor, "formats": imports.list_formats()}
    return page(request, "imports/imports.html", view, max_bytes=MAX_FILE_BYTES)


@router.get("/imports/{import_id}")
def imported(
    *, request: Request, database: DatabaseDep, import_id: ImportId, text: SeriesText = None, cursor: CursorQuery = None
) -> Response:
    """Show an import; its series can be searched."""
    series = imports.list_series(database, import_id, text, cursor, SERIES_PER_PAGE)
    view = {
        "found": imports.get_import(database, import_id),
        "series": series.items,
        "total": imports.count_series(database, import_id, text),
        "next_cursor": series.next_cursor,
    }
    return page(request, "imports/import.html", view)
