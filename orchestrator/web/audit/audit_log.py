"""The audit log, for admins."""

from fastapi import Request, Response

from orchestrator.service.audit import service
from orchestrator.service.audit.actions import NAMES
from orchestrator.service.audit.endpoints import AuditFilterDep, RecorderDep
from orchestrator.service.dependencies import CursorQuery, DatabaseDep
from orchestrator.service.security.dependencies import AdminDep
from orchestrator.web.rendering import page
from orchestrator.web.routing import page_router

ENTRIES_PER_PAGE = 50

router = page_router()


@router.get("/audit")
def audit_log(
    *,
    request: Request,
    database: DatabaseDep,
    recorder: RecorderDep,
    _caller: AdminDep,
    selection: AuditFilterDep,
    cursor: CursorQuery = None,
) -> Response:
    """Show the selected entries, newest first."""
    found = service.list_entries(database, recorder, selection, cursor, ENTRIES_PER_PAGE)
    view = {"entries": found.items, "next_cursor": found.next_cursor, "actions": NAMES}
    return page(request, "audit/audit.html", view)
