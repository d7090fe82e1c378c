"""The sources of the runners as one archive, identified by the SHA-256 of their contents.

The SHA-256 depends only on paths and contents, so it is the same in a checkout, in an installed wheel, and on a device
that unpacked the archive. The native runners and each language have their own, so that a change of one does not make
the builds of the others again. Standard library only, because the daemon uses it, too.
"""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.wire.languages.all_languages import LANGUAGES
from orchestrator.wire.languages.base import Language

ARCHIVE_FOLDER = "runners"
"""Top-level folder in the archive."""

VECTORS_FOLDER = "vectors"
_PARTS = ("CMakeLists.txt", "CMakePresets.json", "cmake", "include", "src", VECTORS_FOLDER)
"""Files and folders that a native build needs; native tests are not included."""
_DRIVER_PARTS = (
    *("CMakeLists.txt", "cmake", "include", "src/cli", "src/core", "src/digest", "src/driver", "src/known_answers"),
    *("src/masked", "src/measure", "src/provider", VECTORS_FOLDER),
)
"""Those that the driver of other languages is made of."""
_GZIP_LEVEL = 6
"""Level 9 takes four times as long, for 1 % less."""


@dataclass(frozen=True)
class SourceFile:
    """One file of the sources."""

    path: str  # relative to the folder of the sources, with slashes
    content: bytes


@dataclass(frozen=True)
class SourceArchive:
    """The packed sources, with their SHA-256."""

    source_sha256: str
    languages_sha256: str
    """SHA-256 of the sources of all languages."""
    data: bytes

    @property
    def sha256(self) -> str:
        """SHA-256 of the archive itself."""
        return hashlib.sha256(self.data).hexdigest()


def source_sha256(folder: Path) -> str:
    """Return the SHA-256 of the native sources in `folder`, over the SHA-256 and path of each file in order."""
    return combined_sha256(_source_files(folder))


def languages_sha256(folder: Path) -> str:
    """Return the SHA-256 of the sources of all languages in `folder`."""
    return combined_sha256([file for language in LANGUAGES for file in _own_files(folder, language)])


def language_sha256(folder: Path, language: Language) -> str:
    """Return the SHA-256 of a language's sources and of its driver's; of a binding, of all native sources."""
    native = _PARTS if language.binding else _DRIVER_PARTS
    return combined_sha256([*language_files(folder, language), *_files_below(folder, native)])


def driver_sha256(folder: Path) -> str:
    """Return the SHA-256 of the sources in `folder` that the driver of other languages is made of."""
    return combined_sha256(_files_below(folder, _DRIVER_PARTS))


def language_files(folder: Path, language: Language) -> list[SourceFile]:
    """Return the sources of a language, with paths relative to the folder of a build."""
    placed = {}
    if language.binding:
        program = language.binding.program
        placed = _placed(_own_files(folder, program, language.binding.shared), program, language.provider)
    placed |= _placed(_own_files(folder, language), language, language.provider)
    return [placed[path] for path in sorted(placed)]


def _placed(files: Iterable[SourceFile], language: Language, target: str) -> dict[str, SourceFile]:
    """Return files of a language by their path below the folder `target` of a build."""
    paths = {f"{target}{file.path.removeprefix(language.folder)}": file for file in files}
    return {path: SourceFile(path, file.content) for path, file in paths.items()}


def _own_files(folder: Path, language: Language, patterns: Iterable[str] | None = None) -> list[SourceFile]:
    """Return the files below a language's folder that match patterns; without any, those of the language."""
    home = folder / language.folder
    found = {path for pattern in patterns or language.sources for path in home.glob(pattern) if path.is_file()}
    excluded = {path for pattern in language.excluded for path in home.glob(pattern)}
    excluded |= {path for path in found if any(parent in excluded for parent in path.parents)}
    return _read(folder, [path.relative_to(folder) for path in found - excluded])


def pack(folder: Path) -> SourceArchive:
    """Return the sources in `folder` as a gzipped tar; equal sources give equal bytes on one machine."""
    native = _source_files(folder)
    files = [*native, *(file for language in LANGUAGES for file in _own_files(folder, language))]
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=_GZIP_LEVEL, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        for file in files:
            entry = tarfile.TarInfo(f"{ARCHIVE_FOLDER}/{file.path}")
            entry.size, entry.mode = len(file.content), 0o644
            tar.addfile(entry, io.BytesIO(file.content))
    return SourceArchive(combined_sha256(native), languages_sha256(folder), buffer.getvalue())


def _source_files(folder: Path) -> list[SourceFile]:
    """Return the files that a native build needs, sorted by path."""
    return _files_below(folder, _PARTS)


def _files_below(folder: Path, parts: Iterable[str]) -> list[SourceFile]:
    names = [
        path.relative_to(folder)
        for part in parts
        for path in (folder / part, *(folder / part).rglob("*"))
        if path.is_file()
    ]
    return _read(folder, names)


def _read(folder: Path, names: Iterable[Path]) -> list[SourceFile]:
    visible = sorted(name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts))
    return [SourceFile(name, (folder / name).read_bytes()) for name in visible]


def combined_sha256(files: Iterable[SourceFile]) -> str:
    """Return the SHA-256 over the SHA-256 and path of each file."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{hashlib.sha256(file.content).hexdigest()}  {file.path}\n".encode())
    return digest.hexdigest()
