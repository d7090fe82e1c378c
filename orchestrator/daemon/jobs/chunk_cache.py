"""Chunks on the device: downloaded once, verified before each job, and deleted when they take too much room."""

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import structlog

from corpus.store import ChunkStore, file_blocks
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.shared.errors import ChunkDamaged, InvalidRequest, NotFound, Unreachable
from orchestrator.shared.files.identity import FileIdentity
from orchestrator.shared.units import GIB

MAX_BYTES = 4 * GIB
"""Size of the cache above which the least recently used chunks are deleted; those of one job may take more."""
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class VerifiedChunk:
    """A chunk whose bytes were hashed, with its file's identity to detect later changes cheaply."""

    path: Path
    sha256: str
    identity: FileIdentity

    def is_unchanged(self) -> bool:
        """Return whether the file is still the one that was hashed."""
        return FileIdentity.find(self.path) == self.identity


class ChunkCache:
    """The chunks in this agent's data folder."""

    def __init__(self, root: Path, client: ServiceClient, max_bytes: int = MAX_BYTES) -> None:
        """Keep chunks under `root`, and download missing ones through the client."""
        self._root, self._max_bytes = root, max_bytes
        self._store = ChunkStore(root)
        self._partial = root / "partial"
        self._client = client

    def provide(self, sha256: str) -> VerifiedChunk:
        """Return the chunk after hashing all of it; download it if it is missing or damaged.

        Raises Unreachable (transient), NotFound when the service has no such chunk, and ChunkDamaged when a second
        download is damaged, too.
        """
        try:
            return self._verified(sha256)
        except NotFound:
            pass
        except ChunkDamaged as error:
            _log.error("chunk damaged; downloading it again", sha256=sha256, error=str(error))
        try:
            self._fetch(sha256)
        except ChunkDamaged as error:
            _log.error("download damaged; downloading again", sha256=sha256, error=str(error))
            self._fetch(sha256)
        return self._verified(sha256)

    def make_room(self, needed: Mapping[str, int]) -> int:
        """Delete the least recently used files until the chunks of a job fit, and return how many were deleted.

        Call it before `provide`, because it notes the use of the job's chunks in the times of their files.
        needed: length in bytes of each chunk of the job by its SHA-256, present or not; they are never deleted.
        Interrupted downloads and damaged chunks count and are deleted like others.
        """
        for sha256 in needed:
            _note_use(self._store.path(sha256))
        left_bytes, deleted = self._max_bytes - sum(needed.values()), 0
        others = [file for file in _files(self._root) if file.name not in needed]
        for file in sorted(others, key=lambda one: one.stat().st_mtime_ns, reverse=True):
            left_bytes -= file.stat().st_size
            if left_bytes < 0:
                deleted += _is_deleted(Path(file.path))
        if deleted:
            _log.info("least recently used chunks deleted", files=deleted, limit_bytes=self._max_bytes)
        return deleted

    def _verified(self, sha256: str) -> VerifiedChunk:
        path = self._store.path(sha256)
        identity = FileIdentity.find(path)
        if identity is None:
            raise NotFound(f"Chunk {sha256} is not in the cache.")
        # Read before the bytes, so that a change while they are hashed is detected later.
        self._store.verify(sha256)
        return VerifiedChunk(path, sha256, identity)

    def _fetch(self, sha256: str) -> None:
        """Download the chunk, resuming an interrupted download; a damaged download is deleted."""
        self._partial.mkdir(parents=True, exist_ok=True)
        partial = self._partial / sha256
        have_bytes = partial.stat().st_size if partial.exists() else 0
        _log.info("downloading chunk", sha256=sha256, from_byte=have_bytes)
        try:
            self._download(sha256, partial, have_bytes)
        except InvalidRequest:
            if not have_bytes:
                raise
            # 416: there is nothing after the bytes of the partial file. Its SHA-256 is verified below.
        try:
            with partial.open("rb") as file:
                self._store.put_stream(file_blocks(file), expected_sha256=sha256)
        finally:
            partial.unlink(missing_ok=True)

    def _download(self, sha256: str, partial: Path, have_bytes: int) -> None:
        with (
            self._client.download(f"/chunks/{sha256}", have_bytes) as download,
            partial.open("r+b" if download.from_byte else "wb") as file,
        ):
            file.seek(download.from_byte)
            for block in download.blocks():
                file.write(block)
            file.truncate()


def wait_and_provide(cache: ChunkCache, sha256: str, keep_waiting: Callable[[str], bool]) -> VerifiedChunk:
    """Provide the chunk, retrying while the service is unreachable or the disk is full.

    keep_waiting: receives the reason, waits, and returns whether to retry; otherwise the error is raised.
    """
    while True:
        try:
            return cache.provide(sha256)
        except Unreachable as error:
            if not keep_waiting(f"chunk {sha256[:12]}: {error}"):
                raise
        except OSError as error:
            if error.errno not in _DISK_FULL or not keep_waiting(f"chunk {sha256[:12]}: the disk is full"):
                raise


def _note_use(path: Path) -> None:
    try:
        os.utime(path)
    except FileNotFoundError:
        return
    except OSError as error:
        # The disk is read-only: nothing can be deleted from it either.
        _log.warning("use of a chunk not noted", error=str(error))


def _is_deleted(path: Path) -> bool:
    try:
        path.unlink()
    except OSError as error:
        _log.warning("chunk not deleted", error=str(error))
        return False
    return True


def _files(folder: Path) -> "Iterator[os.DirEntry[str]]":
    """Yield the files below a folder, which may be missing."""
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path))
        else:
            yield entry
