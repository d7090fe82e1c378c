"""Identity of a file's contents, cheap to compare: inode, size and times."""

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
    def of(cls, path: Path) -> "FileIdentity":
        """Return the identity of a file; raises FileNotFoundError."""
        stat = path.stat()
        return cls(stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
