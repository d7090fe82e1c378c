"""Reading of the audit log."""

from collections.abc import Iterator

from orchestrator.database.engine import Database
from orchestrator.service.audit import repository
from orchestrator.service.audit.recorder import AuditRecorder
from orchestrator.service.audit.repository import AuditFilter
from orchestrator.service.audit.schemas import AuditEntrySummary
from orchestrator.service.pagination import MAX_LIMIT, Page

COLUMNS = tuple(AuditEntrySummary.model_fields)
"""Columns of an export."""


def list_entries(
    database: Database, recorder: AuditRecorder, selection: AuditFilter, cursor: str | None, limit: int
) -> Page[AuditEntrySummary]:
    """Return one page of the selected entries, newest first."""
    recorder.flush()
    with database.read() as session:
        return repository.list_entries(session, selection, cursor, limit).page(AuditEntrySummary.from_row)


def rows_of(
    database: Database, recorder: AuditRecorder, selection: AuditFilter
) -> Iterator[tuple[str | int | None, ...]]:
    """Yield the cells of all selected entries, newest first, in the order of `COLUMNS`."""
    cursor: str | None = None
    while True:
        page = list_entries(database, recorder, selection, cursor, MAX_LIMIT)
        for entry in page.items:
            yield tuple(entry.model_dump(mode="json").values())
        cursor = page.next_cursor
        if cursor is None:
            return
