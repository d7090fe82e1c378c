"""The list of imports, and the form that adds one."""

from fastapi import Request, Response

from orchestrator.results.imports import service as imports
from orchestrator.results.imports.document import MAX_FILE_BYTES
from orchestrator.service.dependencies import CursorQuery, DatabaseDep
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

IMPORTS_PER_PAGE = 25

router = page_router()


@router.get("/imports")
def import_list(request: Request, database: DatabaseDep, cursor: CursorQuery = None) -> Response:
    """Show the imported files, newest first."""
    found = imports.list_imports(database, cursor, IMPORTS_PER_PAGE)
    view = {"imports": found.items, "next_cursor": found.next_cursor, "formats": imports.list_formats()}
    return page(request, "imports/imports.html", view, max_bytes=MAX_FILE_BYTES)
