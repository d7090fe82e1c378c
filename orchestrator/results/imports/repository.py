"""Rows of imports and their series."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Import, ImportedSeries
from orchestrator.database.rows import changed
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


def list_imports(session: Session, before: tuple[datetime, str] | None, limit: int) -> Sequence[Import]:
    """Return up to `limit` imports and one more, newest first.

    before: time and id of the last one of the previous page.
    """
    query = select(Import).order_by(Import.imported_at.desc(), Import.id.desc()).limit(limit + 1)
    if before is not None:
        at, last = before
        query = query.where((Import.imported_at < at) | ((Import.imported_at == at) & (Import.id < last)))
    return session.scalars(query).all()


def list_series(session: Session, import_id: str, text: str | None, after: int, limit: int) -> Sequence[ImportedSeries]:
    """Return up to `limit` series of an import and one more, in the order of the file.

    text: part of the name or quantity; after: position of the last one of the previous page.
    """
    query = select(ImportedSeries).where(*_of(import_id, text), ImportedSeries.position > after)
    return session.scalars(query.order_by(ImportedSeries.position).limit(limit + 1)).all()


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
