"""Identity of a document or of a file's contents: its SHA-256, or inode, size and times, which are cheap to compare."""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FileIdentity:
    """Attributes of a file that change when another process replaces or rewrites it."""

    inode: int
    size_bytes: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, path: Path | str) -> "FileIdentity":
        """Return the identity of a file; raises FileNotFoundError."""
        stat = os.stat(path)  # noqa: PTH116 - before and after each execution, where a Path takes longer than the call
        return cls(stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)

    @classmethod
    def find(cls, path: Path | str) -> "FileIdentity | None":
        """Return the identity of a file; None if there is none."""
        try:
            return cls.of(path)
        except FileNotFoundError:
            return None


def are_unchanged(paths: Iterable[Path | str], identities: Iterable[FileIdentity]) -> bool:
    """Return whether all files are still the ones with these identities."""
    return all(FileIdentity.find(path) == known for path, known in zip(paths, identities, strict=True))


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def json_sha256(document: object) -> str:
    """Return the SHA-256 of a document as JSON, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
