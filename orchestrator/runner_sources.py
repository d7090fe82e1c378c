"""The sources of the runners as one archive, identified by the SHA-256 of their contents.

The SHA-256 depends only on paths and contents, so it is the same in a checkout, in an installed wheel, and on a device
that unpacked the archive. Standard library only, because the daemon uses it, too.
"""

import gzip
import hashlib
import io
import tarfile
from dataclasses import dataclass
from pathlib import Path

ARCHIVE_FOLDER = "runners"
"""Top-level folder in the archive."""

_PARTS = ("CMakeLists.txt", "CMakePresets.json", "cmake", "include", "src", "vectors")
"""Files and folders that a build needs; native tests are not included."""


@dataclass(frozen=True)
class SourceFile:
    """One file of the sources."""

    path: str  # relative to the folder of the sources, with slashes
    content: bytes


@dataclass(frozen=True)
class SourceArchive:
    """The packed sources, with their SHA-256."""

    source_sha256: str
    data: bytes

    @property
    def sha256(self) -> str:
        """SHA-256 of the archive itself."""
        return hashlib.sha256(self.data).hexdigest()


def source_sha256(folder: Path) -> str:
    """Return the SHA-256 of the sources in `folder`, computed over the SHA-256 and path of each file in order."""
    return _combined_sha256(_source_files(folder))


def pack(folder: Path) -> SourceArchive:
    """Return the sources in `folder` as a gzipped tar; equal sources give equal bytes on one machine."""
    files = _source_files(folder)
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for file in files:
            entry = tarfile.TarInfo(f"{ARCHIVE_FOLDER}/{file.path}")
            entry.size, entry.mode = len(file.content), 0o644
            tar.addfile(entry, io.BytesIO(file.content))
    return SourceArchive(_combined_sha256(files), buffer.getvalue())


def _source_files(folder: Path) -> list[SourceFile]:
    """Return the files that a build needs, sorted by path."""
    names = [
        path.relative_to(folder)
        for part in _PARTS
        for path in (folder / part, *(folder / part).rglob("*"))
        if path.is_file()
    ]
    visible = sorted(name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts))
    return [SourceFile(name, (folder / name).read_bytes()) for name in visible]


def _combined_sha256(files: list[SourceFile]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{hashlib.sha256(file.content).hexdigest()}  {file.path}\n".encode())
    return digest.hexdigest()
