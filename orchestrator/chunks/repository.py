"""Queries over chunks."""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Case, Chunk


def list_chunks(
    session: Session, after: tuple[str, int, int] | None, limit: int, kind: str | None = None
) -> Sequence[Chunk]:
    """Return up to limit + 1 chunks after this key, in the order of kind, length and id."""
    query = select(Chunk).order_by(Chunk.kind, Chunk.length_bytes, Chunk.id).limit(limit + 1)
    if kind is not None:
        query = query.where(Chunk.kind == kind)
    if after is not None:
        last_kind, last_length, last_id = after
        same_kind = Chunk.kind == last_kind
        query = query.where(
            (Chunk.kind > last_kind)
            | (same_kind & (Chunk.length_bytes > last_length))
            | (same_kind & (Chunk.length_bytes == last_length) & (Chunk.id > last_id))
        )
    return session.scalars(query).all()


def list_all_chunks(session: Session) -> Sequence[Chunk]:
    """Return all registered chunks."""
    return session.scalars(select(Chunk)).all()


def find_chunk(session: Session, sha256: str) -> Chunk | None:
    """Return the first chunk with this SHA-256; chunks of several kinds can have the same bytes."""
    return session.scalars(select(Chunk).where(Chunk.sha256 == sha256).order_by(Chunk.id).limit(1)).first()


def delete_unused_chunks(session: Session, chunk_ids: Iterable[int]) -> None:
    """Delete those of the chunks that no case uses."""
    session.execute(delete(Chunk).where(Chunk.id.in_(list(chunk_ids)), ~exists().where(Case.chunk_id == Chunk.id)))
