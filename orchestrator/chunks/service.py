"""Which chunks there are, and their bytes: verified before they are offered for the first time, never sent damaged."""

import threading
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.orm import Session

from corpus.catalogue import Catalogue, ChunkEntry, chunk_store
from orchestrator.chunks import repository
from orchestrator.database.engine import Database
from orchestrator.database.models import Chunk
from orchestrator.errors import ChunkDamaged, NotFound, Unavailable
from orchestrator.file_identity import FileIdentity

_CHUNKS_A_TRANSACTION = 1000


def register(database: Database, corpus_folder: Path) -> int:
    """Make the table say what the manifest says; return how many rows were written or deleted.

    Called at start, at preview and at submission: whoever built or added chunks need not tell the service. Chunks
    that left the manifest go too, unless a case names them: that case must still know what its input was.
    """
    # Oldest first, so that ids keep the order of making, also among chunks registered at once.
    entries = sorted(Catalogue(corpus_folder).entries(), key=lambda entry: entry.made_at)
    wanted = {(entry.kind, entry.sha256): entry for entry in entries}
    with database.read() as session:
        known = {(chunk.kind, chunk.sha256): chunk for chunk in repository.list_all_chunks(session)}
    changed = [entry for identity, entry in wanted.items() if not _says_the_same(known.get(identity), entry)]
    gone = [chunk.id for identity, chunk in known.items() if identity not in wanted]
    for start in range(0, len(changed), _CHUNKS_A_TRANSACTION):
        with database.write() as session:
            _write(session, changed[start : start + _CHUNKS_A_TRANSACTION])
    if gone:
        with database.write() as session:
            repository.delete_unused_chunks(session, gone)
    return len(changed) + len(gone)


def _facts(entry: ChunkEntry) -> dict[str, object]:
    return entry.model_dump(mode="json", exclude={"kind", "length_bytes", "sha256", "origin", "title"})


def _says_the_same(chunk: Chunk | None, entry: ChunkEntry) -> bool:
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
    """The chunks of a corpus folder whose bytes this process has read and found right.

    A file is read again when its identity (inode, size, time) changed. Safe to use from several threads.
    """

    def __init__(self, corpus_folder: Path) -> None:
        """Look into the store of this corpus folder."""
        self._store = chunk_store(corpus_folder)
        self._seen: dict[str, FileIdentity] = {}
        self._lock = threading.Lock()

    def path(self, sha256: str) -> Path:
        """Return the file of a verified chunk.

        Raises Unavailable with the reason when its bytes are missing or damaged: such a chunk is never sent.
        """
        path = self._store.path(sha256)
        # One reader at a time: two agents asking for the same gigabyte at once must not read it twice.
        with self._lock:
            identity = _identity(path)
            if identity is None or self._seen.get(sha256) != identity:
                self._verify(sha256)
                verified = _identity(path)
                if verified is not None:
                    self._seen[sha256] = verified
        return path

    def _verify(self, sha256: str) -> None:
        try:
            self._store.verify(sha256)
        except ChunkDamaged as error:
            raise Unavailable(
                f"Chunk {sha256} is damaged on the service: {error.detail}",
                remedy="Build it again: ciphermark corpus build.",
            ) from error
        except NotFound as error:
            raise Unavailable(
                f"Chunk {sha256} is registered, but its bytes are not in the corpus folder.",
                remedy="Build it again: ciphermark corpus build.",
            ) from error


def _identity(path: Path) -> FileIdentity | None:
    try:
        return FileIdentity.of(path)
    except FileNotFoundError:
        return None


def get_file(database: Database, chunks: VerifiedChunks, sha256: str) -> Path:
    """Return the verified file of a registered chunk.

    Raises InvalidRequest for what is no SHA-256, NotFound for an unknown one, Unavailable for a damaged one.
    """
    with database.read() as session:
        known = repository.find_chunk(session, sha256)
    if known is None:
        raise NotFound(
            f"There is no chunk {sha256[:80]!r}.", remedy="See GET /api/v1/chunks; chunks are named by their SHA-256."
        )
    return chunks.path(sha256)
