"""``/api/v1/chunks``."""

from typing import Annotated, Literal

from fastapi import Depends, Header, Query, Response
from fastapi.responses import FileResponse

from orchestrator.runs.chunks import repository, service
from orchestrator.runs.chunks.schemas import ChunkSummary
from orchestrator.service.dependencies import CursorQuery, DatabaseDep, LimitQuery, kept_with_application
from orchestrator.service.pagination import Page
from orchestrator.service.security.dependencies import Sha256, SubmitterOrAgentDep, ViewerOrAgentDep
from orchestrator.service.security.routing import api_router

router = api_router(tags=["chunks"])

VerifiedChunksDep = Annotated[
    service.VerifiedChunks,
    Depends(kept_with_application(lambda _database, settings: service.VerifiedChunks(settings.corpus_folder))),
]


@router.get("/chunks")
def list_chunks(
    database: DatabaseDep,
    _caller: ViewerOrAgentDep,
    cursor: CursorQuery = None,
    limit: LimitQuery = 100,
    kind: Annotated[Literal["random", "audio", "video", "text"] | None, Query()] = None,
) -> Page[ChunkSummary]:
    """List all chunks in the order of kind and length."""
    with database.read() as session:
        return repository.list_chunks(session, cursor, limit, kind).page(ChunkSummary.from_row)


@router.get(
    "/chunks/{sha256}",
    response_class=FileResponse,
    responses={
        206: {"description": "The requested range of bytes."},
        416: {"description": "The chunk has no such range."},
    },
)
def get_chunk(
    sha256: Sha256,
    database: DatabaseDep,
    chunks: VerifiedChunksDep,
    _caller: SubmitterOrAgentDep,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """Return the bytes of a chunk or the requested range of them. Damaged chunks are refused (503)."""
    path = service.get_file(database, chunks, sha256)
    headers = {"ETag": f'"{sha256}"', "Cache-Control": "private, max-age=31536000, immutable"}
    if if_none_match is not None and f'"{sha256}"' in if_none_match:
        return Response(status_code=304, headers=headers)
    return FileResponse(path, media_type="application/octet-stream", headers=headers)
