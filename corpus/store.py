"""Bytes named by their SHA-256, in a folder: the chunks of a service, and the chunk cache of a device.

Layout: ``root/<first two hex digits>/<sha256>``. A file appears under its name only when all of it is on the
disk (temporary file, fsync, rename), so whoever finds a name finds a whole chunk, or a damaged disk.
This module needs nothing but the standard library: it also executes on a 32-bit device.
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

from orchestrator.errors import ChunkDamaged, InvalidRequest, NotFound

BLOCK_BYTES = 1024 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}")
_INCOMING = ".incoming-"
_LEFTOVER_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class StoredChunk:
    """What the store knows about bytes it has just taken."""

    sha256: str  # 64 lower-case hexadecimal digits
    length_bytes: int


class ChunkStore:
    """A folder of content-addressed chunks; any number of processes may read and write it at once."""

    def __init__(self, root: Path) -> None:
        """Use the folder `root`; it is made at the first write."""
        self.root = root

    def path(self, sha256: str) -> Path:
        """Return where the chunk is or would be; raise InvalidRequest for what is no SHA-256."""
        if not _SHA256.fullmatch(sha256):
            raise InvalidRequest(
                f"{sha256[:80]!r} is no SHA-256 of a chunk.",
                remedy="Expected are 64 lower-case hexadecimal digits.",
                field="sha256",
            )
        return self.root / sha256[:2] / sha256

    def has(self, sha256: str) -> bool:
        """Tell whether a file of that name is there (its bytes are not read: see verify)."""
        return self.path(sha256).is_file()

    def put_bytes(self, data: bytes, expected_sha256: str | None = None) -> StoredChunk:
        """Store the bytes; see put_stream."""
        return self.put_stream([data], expected_sha256)

    def put_stream(self, blocks: Iterable[bytes], expected_sha256: str | None = None) -> StoredChunk:
        """Store the concatenated blocks under their SHA-256, replacing a file that has this name already.

        Raises ChunkDamaged when they do not have the expected SHA-256, and OSError when the disk is full;
        in both cases, and when `blocks` itself raises, nothing is left behind.
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

        Raises NotFound when it is absent, and ChunkDamaged when the bytes are not those of the name: then
        the file was moved to `<name>.damaged`, so that nobody measures with it.
        """
        with self.open_verified(sha256) as file:
            return os.fstat(file.fileno()).st_size

    def open_verified(self, sha256: str) -> BinaryIO:
        """Return the chunk open for reading at its first byte, after all of it was checked (see verify)."""
        path = self.path(sha256)
        try:
            file = path.open("rb")
        except FileNotFoundError:
            raise NotFound(f"Chunk {sha256} is not in {self.root}.", remedy="Build or download it.") from None
        try:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
            if actual != sha256:
                raise _moved_aside(file, path, actual)
            file.seek(0)
        except BaseException:
            file.close()
            raise
        return file

    def remove(self, sha256: str) -> None:
        """Delete the chunk if it is there."""
        self.path(sha256).unlink(missing_ok=True)

    def hashes(self) -> list[str]:
        """Return the SHA-256 of every chunk present, sorted (damaged and half-written files are none)."""
        return sorted(
            path.name
            for path in self.root.glob("[0-9a-f][0-9a-f]/*")
            if _SHA256.fullmatch(path.name) and path.parent.name == path.name[:2]
        )

    def discard_leftovers(self, older_than_seconds: float = _LEFTOVER_SECONDS) -> int:
        """Delete what writers left that were killed half-way; return how many files that were."""
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
    """Rename within one file system; the folder is synced too, or a power cut could undo the rename."""
    target.parent.mkdir(exist_ok=True)
    source.replace(target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _moved_aside(file: BinaryIO, path: Path, actual_sha256: str) -> ChunkDamaged:
    """Move the damaged file out of the way and return the error to raise."""
    damaged = path.with_name(f"{path.name}.damaged")
    # Meanwhile another reader may have moved it, or a writer put good bytes in its place: those stay.
    with suppress(FileNotFoundError):
        if os.path.samestat(path.stat(), os.fstat(file.fileno())):
            path.replace(damaged)
    return ChunkDamaged(
        f"The file {path} has SHA-256 {actual_sha256}, expected was {path.name}; it is now {damaged.name}.",
        remedy="Build or download the chunk again.",
        sha256=path.name,
    )
