"""Rows of imports and their series."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Import, ImportedSeries
from orchestrator.database.rows import changed
from orchestrator.service.keyset import Rows, rows_after
from orchestrator.shared.errors import NotFound


def find_same(session: Session, sha256: str) -> Import | None:
    """Return the import of the same file."""
    return session.scalar(select(Import).where(Import.sha256 == sha256))


def require_import(session: Session, import_id: str) -> Import:
    """Return an import; raises NotFound."""
    found = session.get(Import, import_id)
    if found is None:
        raise NotFound(
            f"There is no import {import_id[:40]!r}: it was deleted or never existed.",
            remedy="List them with: ciphermark imports list.",
        )
    return found


def require_series(session: Session, import_id: str, position: int) -> ImportedSeries:
    """Return a series of an import; raises NotFound with the number of series."""
    own = require_import(session, import_id)
    found = session.scalar(
        select(ImportedSeries).where(ImportedSeries.import_id == import_id, ImportedSeries.position == position)
    )
    if found is None:
        raise NotFound(
            f"Import {import_id} has no series {position}.",
            remedy=f"It has the series 1 to {own.series_total}: ciphermark imports show {import_id}.",
            field="series",
        )
    return found


def store(session: Session, row: Import, series: Sequence[ImportedSeries]) -> None:
    """Store an import with its series."""
    session.add(row)
    session.flush()
    session.add_all(series)


def list_imports(session: Session, cursor: str | None, limit: int) -> Rows[Import]:
    """Return a page of imports, newest first."""
    return rows_after(session, select(Import), (Import.imported_at.desc(), Import.id.desc()), cursor, limit)


def list_series(
    session: Session, import_id: str, text: str | None, cursor: str | None, limit: int
) -> Rows[ImportedSeries]:
    """Return a page of the series of an import, in the order of the file; text: part of the name or quantity."""
    query = select(ImportedSeries).where(*_of(import_id, text))
    return rows_after(session, query, (ImportedSeries.position,), cursor, limit)


def count_series(session: Session, import_id: str, text: str | None) -> int:
    """Return the number of series of an import whose name or quantity contains a text."""
    return session.scalar(select(func.count()).select_from(ImportedSeries).where(*_of(import_id, text))) or 0


def delete_import(session: Session, import_id: str) -> None:
    """Delete an import with its series: at most 1000 rows."""
    changed(session, delete(ImportedSeries).where(ImportedSeries.import_id == import_id))
    changed(session, delete(Import).where(Import.id == import_id))


def _of(import_id: str, text: str | None) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [ImportedSeries.import_id == import_id]
    if text:
        conditions.append(
            ImportedSeries.name.icontains(text, autoescape=True)
            | ImportedSeries.quantity.icontains(text, autoescape=True)
        )
    return conditions
