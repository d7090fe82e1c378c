"""Queries over chunks and requests for them."""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from orchestrator.database.models import AwaitedChunk, Case, Chunk, ChunkRequest, Run
from orchestrator.database.rows import changed
from orchestrator.service.keyset import Rows, rows_after

WAITING_RUNS = ("planned", "paused")
"""States of runs/state.py, which depends on this module, in which a run can wait for chunks."""


def list_chunks(session: Session, cursor: str | None, limit: int, kind: str | None = None) -> Rows[Chunk]:
    """Return a page of chunks in the order of kind, length and id."""
    query = select(Chunk) if kind is None else select(Chunk).where(Chunk.kind == kind)
    return rows_after(session, query, (Chunk.kind, Chunk.length_bytes, Chunk.id), cursor, limit)


def list_all_chunks(session: Session) -> Sequence[Chunk]:
    """Return all registered chunks."""
    return session.scalars(select(Chunk)).all()


def find_chunk(session: Session, sha256: str) -> Chunk | None:
    """Return the first chunk with this SHA-256; chunks of several kinds can have the same bytes."""
    return session.scalars(select(Chunk).where(Chunk.sha256 == sha256).order_by(Chunk.id).limit(1)).first()


def delete_unused_chunks(session: Session, chunk_ids: Iterable[int]) -> None:
    """Delete those of the chunks that no case uses."""
    session.execute(delete(Chunk).where(Chunk.id.in_(list(chunk_ids)), ~exists().where(Case.chunk_id == Chunk.id)))


def list_used_hashes(session: Session) -> set[str]:
    """Return the SHA-256 of the chunks that cases use."""
    used = select(Case.chunk_id).where(Case.chunk_id.is_not(None)).distinct()
    return set(session.scalars(select(Chunk.sha256).where(Chunk.id.in_(used))))


def delete_unused_chunk(session: Session, kind: str, sha256: str) -> bool:
    """Delete a chunk if no case uses it; return whether it is not registered any more."""
    found = (Chunk.kind == kind, Chunk.sha256 == sha256)
    changed(session, delete(Chunk).where(*found, ~exists().where(Case.chunk_id == Chunk.id)))
    return session.scalar(select(Chunk.id).where(*found)) is None


# --- Requests ---------------------------------------------------------------------------------------------------


def get_requests(session: Session) -> dict[tuple[str, int], ChunkRequest]:
    """Return all requests by kind and length."""
    return {(request.kind, request.length_bytes): request for request in session.scalars(select(ChunkRequest))}


def list_awaited_request_ids(session: Session, run_id: str) -> set[int]:
    """Return the ids of the requests that a run waits or waited for."""
    return set(session.scalars(select(AwaitedChunk.request_id).where(AwaitedChunk.run_id == run_id)))


def list_failures(session: Session, run_id: str) -> Sequence[str]:
    """Return the reasons of the failed requests of a run, each once."""
    query = (
        select(ChunkRequest.reason)
        .join(AwaitedChunk, AwaitedChunk.request_id == ChunkRequest.id)
        .where(AwaitedChunk.run_id == run_id, ChunkRequest.state == "failed")
        .distinct()
    )
    return session.scalars(query.order_by(ChunkRequest.reason)).all()


def find_first_waiting_run(session: Session) -> str | None:
    """Return the id of the run with open requests that comes first, by priority and then by submission."""
    return session.scalar(
        select(Run.id)
        .join(AwaitedChunk, AwaitedChunk.run_id == Run.id)
        .join(ChunkRequest, ChunkRequest.id == AwaitedChunk.request_id)
        .where(Run.state.in_(WAITING_RUNS), ChunkRequest.state == "open")
        .order_by(Run.priority, Run.submitted_at, Run.id)
        .limit(1)
    )


def awaited_chunks(session: Session, run_ids: Sequence[str]) -> dict[str, list[ChunkRequest]]:
    """Return for each of these runs that waits for chunks the open requests, by kind and length."""
    rows = session.execute(
        select(AwaitedChunk.run_id, ChunkRequest)
        .join(ChunkRequest, ChunkRequest.id == AwaitedChunk.request_id)
        .where(AwaitedChunk.run_id.in_(run_ids), ChunkRequest.state == "open")
        .order_by(ChunkRequest.kind, ChunkRequest.length_bytes)
    )
    found: dict[str, list[ChunkRequest]] = {}
    for run_id, request in rows:
        found.setdefault(run_id, []).append(request)
    return found


def list_waiting_runs(session: Session, request_ids: Iterable[int]) -> Sequence[str]:
    """Return the ids of the runs that wait for one of these requests."""
    query = (
        select(Run.id)
        .join(AwaitedChunk, AwaitedChunk.run_id == Run.id)
        .where(AwaitedChunk.request_id.in_(list(request_ids)), Run.state.in_(WAITING_RUNS))
    )
    return session.scalars(query.distinct()).all()


def list_made(session: Session, kind: str, limit: int) -> Sequence[ChunkRequest]:
    """Return the latest requests of a kind for which a chunk was made, newest first."""
    query = select(ChunkRequest).where(
        ChunkRequest.kind == kind, ChunkRequest.state == "ready", ChunkRequest.started_at.is_not(None)
    )
    return session.scalars(query.order_by(ChunkRequest.settled_at.desc()).limit(limit)).all()


def change_open_requests(session: Session, request_ids: Iterable[int], **values: object) -> int:
    """Set columns of those of the requests that are open; return their number."""
    is_open = (ChunkRequest.id.in_(list(request_ids)), ChunkRequest.state == "open")
    return changed(session, update(ChunkRequest).where(*is_open).values(**values))
