"""``/api/v1/audit``."""

from typing import Annotated, cast

from fastapi import Depends, Query, Request
from fastapi.responses import StreamingResponse

from orchestrator.service.audit import service
from orchestrator.service.audit.recorder import AuditRecorder
from orchestrator.service.audit.repository import AuditFilter
from orchestrator.service.audit.schemas import AuditEntrySummary
from orchestrator.service.dependencies import CursorQuery, DatabaseDep, LimitQuery
from orchestrator.service.pagination import Page
from orchestrator.service.security.dependencies import AdminDep
from orchestrator.service.security.routing import api_router
from orchestrator.shared.exporters import exporter

router = api_router(tags=["audit"])


def _recorder(request: Request) -> AuditRecorder:
    return cast(AuditRecorder, request.app.state.audit)


RecorderDep = Annotated[AuditRecorder, Depends(_recorder)]
AuditFilterDep = Annotated[AuditFilter, Depends()]


@router.get("/audit")
def list_audit_entries(
    *,
    database: DatabaseDep,
    recorder: RecorderDep,
    _caller: AdminDep,
    selection: AuditFilterDep,
    cursor: CursorQuery = None,
    limit: LimitQuery = 100,
) -> Page[AuditEntrySummary]:
    """List actions on tokens, logins, agents, deletions and backups with their callers, and refusals, newest first."""
    return service.list_entries(database, recorder, selection, cursor, limit)


@router.get("/audit/export", response_class=StreamingResponse)
def export_audit_entries(
    database: DatabaseDep,
    recorder: RecorderDep,
    _caller: AdminDep,
    selection: AuditFilterDep,
    export_format: Annotated[str, Query(alias="format", max_length=16)] = "jsonl",
) -> StreamingResponse:
    """Download the audit log as a file, newest entries first: JSON lines, or another format of a run's export."""
    chosen = exporter(export_format)
    return StreamingResponse(
        chosen.stream(service.COLUMNS, service.rows_of(database, recorder, selection)),
        media_type=chosen.MEDIA_TYPE,
        headers={"Content-Disposition": f'attachment; filename="ciphermark-audit.{chosen.NAME}"'},
    )
