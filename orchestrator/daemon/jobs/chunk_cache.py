"""Input data on the device: downloaded once, verified before each job, never measured when damaged."""

import errno
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from corpus.store import ChunkStore, file_blocks
from orchestrator.daemon.session.client import ServiceClient
from orchestrator.errors import ChunkDamaged, InvalidRequest, NotFound, Unreachable
from orchestrator.file_identity import FileIdentity

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class VerifiedChunk:
    """A chunk whose bytes were hashed, and how to see cheaply that its file is still the same."""

    path: Path
    sha256: str
    identity: FileIdentity

    def is_unchanged(self) -> bool:
        """Tell whether the file is the one that was hashed."""
        try:
            return FileIdentity.of(self.path) == self.identity
        except FileNotFoundError:
            return False


class ChunkCache:
    """The chunks that this agent has."""

    def __init__(self, root: Path, client: ServiceClient) -> None:
        """Keep chunks under `root`, and fetch what is missing through the client."""
        self._store = ChunkStore(root)
        self._partial = root / "partial"
        self._client = client

    def provide(self, sha256: str) -> VerifiedChunk:
        """Return the chunk, all of it hashed just now; fetch it when it is missing or damaged.

        Raises Unreachable (transient) when the service is away, NotFound when it has no such chunk, and
        ChunkDamaged when a second download was damaged too.
        """
        try:
            return self._verified(sha256)
        except NotFound:
            pass
        except ChunkDamaged as error:
            _log.error("chunk damaged, fetching it again", sha256=sha256, error=str(error))
        try:
            self._fetch(sha256)
        except ChunkDamaged as error:
            _log.error("download damaged, trying once more", sha256=sha256, error=str(error))
            self._fetch(sha256)
        return self._verified(sha256)

    def _verified(self, sha256: str) -> VerifiedChunk:
        path = self._store.path(sha256)
        try:
            identity = FileIdentity.of(path)
        except FileNotFoundError:
            raise NotFound(f"Chunk {sha256} is not here.") from None
        # The identity is read before the bytes: a file changed meanwhile differs at the next look.
        self._store.verify(sha256)
        return VerifiedChunk(path, sha256, identity)

    def _fetch(self, sha256: str) -> None:
        """Download, going on where an interrupted download ended; a damaged one is thrown away."""
        self._partial.mkdir(parents=True, exist_ok=True)
        partial = self._partial / sha256
        have_bytes = partial.stat().st_size if partial.exists() else 0
        _log.info("fetching chunk", sha256=sha256, from_byte=have_bytes)
        try:
            self._download(sha256, partial, have_bytes)
        except InvalidRequest:
            if not have_bytes:
                raise
            # Nothing follows what is here already (416): whole or wrong, its SHA-256 decides below.
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
    """Provide the chunk, trying again while the service is away or the disk is full and the job is still wanted.

    keep_waiting: is told the reason, waits a moment and says whether to try again; when it says no, the
    error is raised.
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
