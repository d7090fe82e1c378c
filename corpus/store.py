"""A content-addressed store in a folder: the chunks of a service, and the chunk cache of a device.

Layout: ``root/<first two hex digits>/<sha256>``. A file gets its name only after all of it is on the disk (temporary
file, fsync, rename), so a file with that name is complete unless the disk is damaged.
This module needs only the standard library: it also runs on a 32-bit device.
"""

import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from orchestrator.shared.errors import ChunkDamaged, InvalidRequest, NotFound

BLOCK_BYTES = 1024 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}")
_INCOMING = ".incoming-"
_LEFTOVER_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class StoredChunk:
    """Hash and length of stored bytes."""

    sha256: str  # 64 lower-case hexadecimal digits
    length_bytes: int


class ChunkStore:
    """A folder of content-addressed chunks; any number of processes may read and write it at the same time."""

    def __init__(self, root: Path) -> None:
        """Use the folder `root`; the first write creates it."""
        self.root = root

    def path(self, sha256: str) -> Path:
        """Return the path of the chunk, present or not; raise InvalidRequest if the name is not a SHA-256."""
        if not _SHA256.fullmatch(sha256):
            raise InvalidRequest(
                f"{sha256[:80]!r} is not a SHA-256 of a chunk.",
                remedy="Expected: 64 lower-case hexadecimal digits.",
                field="sha256",
            )
        return self.root / sha256[:2] / sha256

    def has(self, sha256: str) -> bool:
        """Return whether the chunk is present; its bytes are not read (see verify)."""
        return self.path(sha256).is_file()

    def put_stream(self, blocks: Iterable[bytes], expected_sha256: str | None = None) -> StoredChunk:
        """Store the concatenated blocks under their SHA-256, replacing a file of the same name.

        Raises ChunkDamaged if they do not have the expected SHA-256, and OSError if the disk is full. In both cases,
        and if `blocks` itself raises, no file remains.
        """
        if expected_sha256 is not None:
            self.path(expected_sha256)
        self.root.mkdir(parents=True, exist_ok=True)
        incoming = self.root / f"{_INCOMING}{os.getpid()}-{secrets.token_hex(8)}"
        try:
            stored = _write_synced(incoming, blocks)
            if expected_sha256 is not None and stored.sha256 != expected_sha256:
                raise ChunkDamaged(
                    f"{stored.length_bytes} bytes arrived with SHA-256 {stored.sha256}, "
                    f"expected was {expected_sha256}.",
                    remedy="Transfer them again.",
                )
            _rename_synced(incoming, self.path(stored.sha256))
        finally:
            incoming.unlink(missing_ok=True)
        return stored

    def verify(self, sha256: str) -> int:
        """Read the whole chunk and return its length in bytes.

        Raises NotFound if it is absent, and ChunkDamaged if the bytes do not have the SHA-256 of the name; the file was
        then renamed to `<name>.damaged`, so that no run uses it.
        """
        with self.open_verified(sha256) as file:
            return os.fstat(file.fileno()).st_size

    def open_verified(self, sha256: str) -> BinaryIO:
        """Return the chunk open for reading at its first byte, after verifying all of it (see verify)."""
        path = self.path(sha256)
        try:
            file = path.open("rb")
        except FileNotFoundError:
            raise NotFound(f"Chunk {sha256} is not in {self.root}.", remedy="Build or download it.") from None
        try:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
            if actual != sha256:
                raise _renamed(file, path, actual)
            file.seek(0)
        except BaseException:
            file.close()
            raise
        return file

    def remove(self, sha256: str) -> None:
        """Delete the chunk if it is present."""
        self.path(sha256).unlink(missing_ok=True)

    def hashes(self) -> list[str]:
        """Return the SHA-256 of every chunk present, sorted, without damaged and incomplete files."""
        return sorted(
            path.name
            for path in self.root.glob("[0-9a-f][0-9a-f]/*")
            if _SHA256.fullmatch(path.name) and path.parent.name == path.name[:2]
        )

    def discard_leftovers(self, older_than_seconds: float = _LEFTOVER_SECONDS) -> int:
        """Delete the incomplete files of killed writers; return their number."""
        oldest = time.time() - older_than_seconds
        leftovers = [path for path in self.root.glob(f"{_INCOMING}*") if path.stat().st_mtime <= oldest]
        for path in leftovers:
            path.unlink(missing_ok=True)
        return len(leftovers)


def file_blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the rest of an open file in blocks of at most 1 MiB."""
    while block := file.read(BLOCK_BYTES):
        yield block


def _write_synced(path: Path, blocks: Iterable[bytes]) -> StoredChunk:
    digest = hashlib.sha256()
    length_bytes = 0
    with path.open("xb") as file:
        for block in blocks:
            digest.update(block)
            length_bytes += len(block)
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    return StoredChunk(sha256=digest.hexdigest(), length_bytes=length_bytes)


def _rename_synced(source: Path, target: Path) -> None:
    """Rename within one file system; the folder is synced too, because a power failure could undo the rename."""
    target.parent.mkdir(exist_ok=True)
    source.replace(target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _renamed(file: BinaryIO, path: Path, actual_sha256: str) -> ChunkDamaged:
    """Rename the damaged file and return the error to raise."""
    damaged = path.with_name(f"{path.name}.damaged")
    # Another reader may have renamed it already, or a writer replaced it with a good file, which is kept.
    with suppress(FileNotFoundError):
        if os.path.samestat(path.stat(), os.fstat(file.fileno())):
            path.replace(damaged)
    return ChunkDamaged(
        f"The file {path} has SHA-256 {actual_sha256}, expected was {path.name}; it is now {damaged.name}.",
        remedy="Build or download the chunk again.",
        sha256=path.name,
    )
