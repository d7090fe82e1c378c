"""Imports: add, list, show, delete."""

import hashlib

import structlog

from orchestrator.database.engine import Database
from orchestrator.database.models import Import, ImportedSeries
from orchestrator.database.rows import lock_name
from orchestrator.results.imports import readings, repository
from orchestrator.results.imports.checks import line
from orchestrator.results.imports.document import ImportedFile, Series
from orchestrator.results.imports.formats import Format, find_format, formats, read_file
from orchestrator.results.imports.schemas import (
    NOT_VERIFIED,
    FormatSummary,
    ImportDetail,
    ImportedSeriesDetail,
    ImportedSeriesSummary,
    ImportRequest,
    ImportSummary,
)
from orchestrator.results.schemas import Interval
from orchestrator.service.pagination import Page
from orchestrator.service.security.callers import Caller
from orchestrator.service.security.tokens import new_id
from orchestrator.shared.errors import Conflict
from orchestrator.shared.free_space import require_room
from orchestrator.shared.settings import ServiceSettings

_log = structlog.get_logger(__name__)


def list_formats() -> list[FormatSummary]:
    """Return the formats that can be imported, in the order of their names."""
    return [FormatSummary(name=one.NAME, title=one.TITLE, command=one.COMMAND) for one in formats().values()]


def add(database: Database, settings: ServiceSettings, caller: Caller, request: ImportRequest) -> ImportDetail:
    """Store a file of another tool; nothing of it if anything is wrong.

    Raises InvalidRequest for a file that is damaged or of no known tool, and Conflict for one that is stored already.
    """
    require_room(settings.data_folder, settings.min_free_mib)
    name = line(request.name, "The name of the file", 200)
    device = None if request.device is None else line(request.device, "The device", 120)
    tool, found = read_file(request.content, request.format)
    row = _row(request, name, tool, found, caller)
    row.device = device or found.host
    with database.write() as session:
        lock_name(session, f"import {row.sha256}")
        same = repository.find_same(session, row.sha256)
        if same is not None:
            raise Conflict(
                f"This file was imported already, as {same.id}.",
                remedy=f"Show it with: ciphermark imports show {same.id}; delete it first to import the file again.",
            )
        series = [_series_row(row.id, place, one) for place, one in enumerate(found.series, start=1)]
        repository.store(session, row, series)
        session.flush()
        detail = _detail(row)
    _log.info("file imported", import_id=row.id, format=row.format, series=row.series_total, by=row.imported_by)
    return detail


def list_imports(database: Database, cursor: str | None, limit: int) -> Page[ImportSummary]:
    """Return one page of the imports, newest first."""
    with database.read() as session:
        return repository.list_imports(session, cursor, limit).page(summary_of)


def get_import(database: Database, import_id: str) -> ImportDetail:
    """Return an import; raises NotFound."""
    with database.read() as session:
        return _detail(repository.require_import(session, import_id))


def list_series(
    database: Database, import_id: str, text: str | None, cursor: str | None, limit: int
) -> Page[ImportedSeriesSummary]:
    """Return one page of the series of an import, in the order of the file; text: part of a name or quantity."""
    with database.read() as session:
        repository.require_import(session, import_id)
        return repository.list_series(session, import_id, text, cursor, limit).page(series_summary)


def count_series(database: Database, import_id: str, text: str | None) -> int:
    """Return the number of series whose name or quantity contains a text."""
    with database.read() as session:
        return repository.count_series(session, import_id, text)


def get_series(database: Database, import_id: str, position: int) -> ImportedSeriesDetail:
    """Return a series with its readings; raises NotFound."""
    with database.read() as session:
        row = repository.require_series(session, import_id, position)
        return ImportedSeriesDetail(
            **series_summary(row).model_dump(),
            readings=None if row.readings is None else readings.decode(row.readings),
            processes=row.processes,
        )


def delete(database: Database, caller: Caller, import_id: str) -> None:
    """Delete an import with its series.

    Raises NotFound; Forbidden where the caller is no admin and another token imported the file.
    """
    with database.write() as session:
        row = repository.require_import(session, import_id)
        caller.require_own(
            row.owner_id, f"Import {row.id} was made by {row.imported_by or 'an unknown token'}", "Delete"
        )
        repository.delete_import(session, import_id)
    _log.info("import deleted", import_id=import_id, by=caller.name)


def summary_of(row: Import) -> ImportSummary:
    """Return an import as lists show it."""
    return ImportSummary.from_row(row, tool=find_format(row.format).TITLE)


def series_summary(row: ImportedSeries) -> ImportedSeriesSummary:
    """Return a series without its readings."""
    interval = None if row.low is None or row.high is None else Interval(low=row.low, high=row.high)
    return ImportedSeriesSummary.from_row(row, interval=interval, has_readings=row.readings is not None)


def _detail(row: Import) -> ImportDetail:
    tool = find_format(row.format)
    return ImportDetail.from_row(
        row, tool=tool.TITLE, remark=NOT_VERIFIED, scope=tool.SCOPE, dispersion=tool.DISPERSION
    )


def _row(request: ImportRequest, name: str, tool: Format, found: ImportedFile, caller: Caller) -> Import:
    return Import(
        id=new_id(),
        format=tool.NAME,
        name=name,
        sha256=hashlib.sha256(request.content.encode()).hexdigest(),
        facts=dict(found.facts),
        omissions=list(found.omissions),
        series_total=len(found.series),
        readings_total=found.readings_total,
        imported_by=caller.name[:80],
        owner_id=caller.family_id,
    )


def _series_row(import_id: str, position: int, found: Series) -> ImportedSeries:
    own = found.figures
    return ImportedSeries(
        import_id=import_id,
        position=position,
        name=found.name,
        quantity=found.quantity,
        unit=found.unit,
        low=own.interval and own.interval.low,
        high=own.interval and own.interval.high,
        **{name: value for name, value in vars(own).items() if name != "interval"},
        readings=None if found.readings is None else readings.encode(found.readings),
        processes=None if found.processes is None else list(found.processes),
        facts=dict(found.facts),
        remarks=list(found.remarks),
        absent_because=found.absent_because,
    )
