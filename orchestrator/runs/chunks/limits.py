"""Limit for the corpus on the service: chunks that no run uses are deleted, the oldest first.

The inputs of stored results stay, so that runs can be compared and repeated with the same bytes; `runs delete` gives
their chunks free. Files that a user added are never deleted.
"""

from datetime import datetime, timedelta
from pathlib import Path

import structlog

from corpus.catalogue import Catalogue, ChunkEntry, chunk_store
from orchestrator.database.engine import Database
from orchestrator.runs.chunks import repository
from orchestrator.shared.units import GIB

MAX_BYTES = 16 * GIB
"""Size of all chunks above which those that no run uses are deleted."""
KEPT_DAYS = 7
"""Age below which chunks stay: a run that waits for them, or is about to be submitted, does not use them yet."""

_log = structlog.get_logger(__name__)


def delete_unused(database: Database, corpus_folder: Path, at: datetime, max_bytes: int = MAX_BYTES) -> int:
    """Delete unused chunks until the corpus has at most this many bytes, and return how many were deleted."""
    catalogue = Catalogue(corpus_folder)
    entries = catalogue.entries()
    excess_bytes = sum(entry.length_bytes for entry in entries) - max_bytes
    if excess_bytes <= 0:
        return 0
    latest = at - timedelta(days=KEPT_DAYS)
    with database.read() as session:
        used = repository.list_used_hashes(session)
    removable = [one for one in entries if one.origin != "user" and one.made_at < latest and one.sha256 not in used]
    deleted = 0
    for entry in sorted(removable, key=lambda one: one.made_at):
        if excess_bytes <= 0:
            break
        if _is_deleted(database, catalogue, entry):
            excess_bytes -= entry.length_bytes
            deleted += 1
    _log.info("chunks deleted that no run uses", chunks=deleted, excess_bytes=max(excess_bytes, 0))
    return deleted


def _is_deleted(database: Database, catalogue: Catalogue, entry: ChunkEntry) -> bool:
    """Delete one chunk unless a case has begun to use it."""
    # First the manifest, from which submissions register chunks, so that none registers it again.
    catalogue.change(remove=[entry])
    with database.write() as session:
        is_used = not repository.delete_unused_chunk(session, entry.kind, entry.sha256)
    if is_used:
        catalogue.change(add=[entry])
        return False
    if all(other.sha256 != entry.sha256 for other in catalogue.entries()):
        chunk_store(catalogue.folder).remove(entry.sha256)
    return True
