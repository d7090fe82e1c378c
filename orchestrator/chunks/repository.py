"""Queries over the table ``chunks``."""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Case, Chunk


def list_chunks(
    session: Session, after: tuple[str, int, int] | None, limit: int, kind: str | None = None
) -> Sequence[Chunk]:
    """Return up to limit + 1 chunks by kind, length and id, after that key."""
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
    """Return every registered chunk."""
    return session.scalars(select(Chunk)).all()


def find_chunk(session: Session, sha256: str) -> Chunk | None:
    """Return a chunk with these bytes (several kinds may share them)."""
    return session.scalars(select(Chunk).where(Chunk.sha256 == sha256).order_by(Chunk.id).limit(1)).first()


def delete_unused_chunks(session: Session, chunk_ids: Iterable[int]) -> None:
    """Delete those of the chunks that no case names."""
    session.execute(delete(Chunk).where(Chunk.id.in_(list(chunk_ids)), ~exists().where(Case.chunk_id == Chunk.id)))
