"""Registration of the corpus's chunks in the database, and their files, verified before they are served."""

import threading
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.orm import Session

from corpus.catalogue import Catalogue, ChunkEntry, chunk_store
from orchestrator.database.engine import Database
from orchestrator.database.models import Chunk
from orchestrator.runs.chunks import repository
from orchestrator.shared.errors import ChunkDamaged, NotFound, Unavailable
from orchestrator.shared.files.identity import FileIdentity

_CHUNKS_PER_TRANSACTION = 1000


def register(database: Database, corpus_folder: Path) -> int:
    """Update the table of chunks from the manifest; return how many rows were written or deleted.

    The service calls this at its start, for each preview and each submission, so that new chunks need no command.
    Chunks that the manifest does not list any more are deleted unless a case uses them.
    """
    # Oldest first, so that ids follow the order of creation, also for chunks registered in one call.
    entries = sorted(Catalogue(corpus_folder).entries(), key=lambda entry: entry.made_at)
    listed = {(entry.kind, entry.sha256): entry for entry in entries}
    with database.read() as session:
        known = {(chunk.kind, chunk.sha256): chunk for chunk in repository.list_all_chunks(session)}
    changed = [entry for identity, entry in listed.items() if not _is_unchanged(known.get(identity), entry)]
    gone = [chunk.id for identity, chunk in known.items() if identity not in listed]
    for start in range(0, len(changed), _CHUNKS_PER_TRANSACTION):
        with database.write() as session:
            _write(session, changed[start : start + _CHUNKS_PER_TRANSACTION])
    if gone:
        with database.write() as session:
            repository.delete_unused_chunks(session, gone)
    return len(changed) + len(gone)


def _facts(entry: ChunkEntry) -> dict[str, object]:
    return entry.model_dump(mode="json", exclude={"kind", "length_bytes", "sha256", "origin", "title"})


def _is_unchanged(chunk: Chunk | None, entry: ChunkEntry) -> bool:
    return chunk is not None and (chunk.origin, chunk.title, chunk.facts) == (entry.origin, entry.title, _facts(entry))


def _write(session: Session, entries: Sequence[ChunkEntry]) -> None:
    known = {(chunk.kind, chunk.sha256): chunk for chunk in repository.list_all_chunks(session)}
    for entry in entries:
        chunk = known.get((entry.kind, entry.sha256))
        if chunk is None:
            chunk = Chunk(kind=entry.kind, sha256=entry.sha256, length_bytes=entry.length_bytes)
            session.add(chunk)
        chunk.origin, chunk.title, chunk.facts = entry.origin, entry.title, _facts(entry)


class VerifiedChunks:
    """Chunks of a corpus folder whose SHA-256 this process has verified.

    A file is verified again if its identity (inode, size, times) has changed. Safe to use from several threads.
    """

    def __init__(self, corpus_folder: Path) -> None:
        """Open the store of a corpus folder."""
        self._store = chunk_store(corpus_folder)
        self._seen: dict[str, FileIdentity] = {}
        self._lock = threading.Lock()

    def path(self, sha256: str) -> Path:
        """Return the file of a verified chunk.

        Raises Unavailable with the reason if its bytes are missing or damaged.
        """
        path = self._store.path(sha256)
        # One thread at a time: requests of two agents for the same gigabyte must not read it twice.
        with self._lock:
            identity = FileIdentity.find(path)
            if identity is None or self._seen.get(sha256) != identity:
                self._verify(sha256)
                verified = FileIdentity.find(path)
                if verified is not None:
                    self._seen[sha256] = verified
        return path

    def _verify(self, sha256: str) -> None:
        try:
            self._store.verify(sha256)
        except ChunkDamaged as error:
            raise Unavailable(
                f"Chunk {sha256} is damaged on the service: {error.detail}",
                remedy="Create it again: ciphermark corpus build.",
            ) from error
        except NotFound as error:
            raise Unavailable(
                f"Chunk {sha256} is registered, but its file is missing in the corpus folder.",
                remedy="Create it again: ciphermark corpus build.",
            ) from error


def get_file(database: Database, chunks: VerifiedChunks, sha256: str) -> Path:
    """Return the verified file of a registered chunk.

    Raises NotFound for an unknown chunk and Unavailable for a damaged one.
    """
    with database.read() as session:
        chunk = repository.find_chunk(session, sha256)
    if chunk is None:
        raise NotFound(f"There is no chunk with the SHA-256 {sha256[:80]!r}.", remedy="List them: GET /api/v1/chunks.")
    return chunks.path(sha256)
