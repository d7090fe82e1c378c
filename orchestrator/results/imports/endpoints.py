"""``/api/v1/imports``: results of other tools, marked as imported and never ranked."""

from typing import Annotated

from fastapi import Depends, Path, Query, Response, status

from orchestrator.results.imports import service
from orchestrator.results.imports.document import MAX_FILE_BYTES
from orchestrator.results.imports.schemas import (
    FormatSummary,
    ImportDetail,
    ImportedSeriesDetail,
    ImportedSeriesSummary,
    ImportRequest,
    ImportSummary,
)
from orchestrator.service.dependencies import CursorQuery, DatabaseDep, LimitQuery, SettingsDep, kept_with_application
from orchestrator.service.pagination import Page
from orchestrator.service.security.bodies import BodyLimit, body_limit
from orchestrator.service.security.dependencies import SubmitterDep, ViewerDep
from orchestrator.service.security.routing import api_router
from orchestrator.service.server.admission import WorkSlots
from orchestrator.shared.units import KIB
from orchestrator.shared.values.parameters import ID_PATTERN, TypedText, WholeNumber

IMPORT_LIMIT = BodyLimit(2 * MAX_FILE_BYTES + 4 * KIB, 100)
"""A file as a JSON string, with the escapes that a text has."""
_SLOTS, _WAIT_SECONDS, _RETRY_SECONDS = 1, 2.0, 5
"""For reading imported files: one of 8 MiB occupies the interpreter for seconds."""

router = api_router(tags=["imports"])


ImportSlotsDep = Annotated[
    WorkSlots,
    Depends(kept_with_application(lambda *_: WorkSlots(_SLOTS, _WAIT_SECONDS, _RETRY_SECONDS, "imports"))),
]
ImportId = Annotated[str, Path(pattern=ID_PATTERN, examples=["k3v9x0q2m7ab"])]
Position = Annotated[WholeNumber, Path(ge=1, lt=2**63, description="Position of a series in the file, from 1.")]
SeriesText = Annotated[
    TypedText | None, Query(alias="q", max_length=80, description="Only series with this in their name or quantity.")
]


@router.post("/imports", status_code=status.HTTP_201_CREATED)
@body_limit(IMPORT_LIMIT)
def add_import(
    *,
    body: ImportRequest,
    response: Response,
    database: DatabaseDep,
    settings: SettingsDep,
    slots: ImportSlotsDep,
    caller: SubmitterDep,
) -> ImportDetail:
    """Import a file of another tool. A file that is damaged or of no known tool is refused as a whole."""
    with slots.taken():
        added = service.add(database, settings, caller, body)
    response.headers["Location"] = f"/api/v1/imports/{added.id}"
    return added


@router.get("/imports")
def list_imports(
    database: DatabaseDep, _caller: ViewerDep, cursor: CursorQuery = None, limit: LimitQuery = 50
) -> Page[ImportSummary]:
    """List the imported files, newest first."""
    return service.list_imports(database, cursor, limit)


@router.get("/import-formats")
def list_import_formats(_caller: ViewerDep) -> list[FormatSummary]:
    """List the formats that can be imported, with the commands that write such files."""
    return service.list_formats()


@router.get("/imports/{import_id}")
def get_import(import_id: ImportId, database: DatabaseDep, _caller: ViewerDep) -> ImportDetail:
    """Get an import: its tool, device and scope, and what the file states about the machine."""
    return service.get_import(database, import_id)


@router.get("/imports/{import_id}/series")
def list_imported_series(
    import_id: ImportId,
    database: DatabaseDep,
    _caller: ViewerDep,
    text: SeriesText = None,
    cursor: CursorQuery = None,
    limit: LimitQuery = 100,
) -> Page[ImportedSeriesSummary]:
    """List the series of an import in the order of the file: figures with their unit, and reasons for absent ones."""
    return service.list_series(database, import_id, text, cursor, limit)


@router.get("/imports/{import_id}/series/{position}")
def get_imported_series(
    import_id: ImportId, position: Position, database: DatabaseDep, _caller: ViewerDep
) -> ImportedSeriesDetail:
    """Get a series with every reading that the file has."""
    return service.get_series(database, import_id, position)


@router.delete("/imports/{import_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_import(import_id: ImportId, database: DatabaseDep, caller: SubmitterDep) -> None:
    """Delete an import with its series. A submitter deletes its own imports, an admin any."""
    service.delete(database, caller, import_id)
