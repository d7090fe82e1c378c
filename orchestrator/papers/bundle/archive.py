"""A bundle's file: an uncompressed ZIP archive whose bytes follow from its contents, with their SHA-256.

A reader makes the archive again from what it extracted and compares the bytes, so that a change anywhere is found:
in a file, in the list of sums, or in the archive's own fields. No I/O besides the files that are named.
"""

import errno
import filecmp
import hashlib
import re
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path

from orchestrator.shared.errors import BundleDamaged, InvalidRequest, NotFound

SUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.sig"
MAX_BYTES = 8 * 1024**3
_NAME = re.compile(r"(?:[a-z0-9-]+/)?[A-Za-z0-9_-]+(?:\.[a-z0-9]+)*")
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""First moment that the format can express."""
_UNIX, _MODE = 3, 0o644 << 16


def list_sums(folder: Path) -> None:
    """Write the SHA-256 of every file of a folder to SHA256SUMS, in the format of sha256sum."""
    (folder / SUMS).write_text(_sums(folder), encoding="ascii")


def pack(folder: Path, target: Path) -> None:
    """Write the files of a folder, which has its SHA256SUMS, as an archive."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name in _names(folder):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system, entry.external_attr = _UNIX, _MODE
            entry.file_size = (folder / name).stat().st_size
            with (folder / name).open("rb") as source, archive.open(entry, "w") as written:
                shutil.copyfileobj(source, written)


def unpack(path: Path, folder: Path) -> None:
    """Extract a bundle into an empty folder.

    Raises BundleDamaged if any byte of it was changed, NotFound if it does not exist, and InvalidRequest if this
    machine cannot read or store it.
    """
    try:
        _extract(path, folder)
        _require_unchanged(path, folder)
    except OSError as error:
        kind = InvalidRequest if path.exists() else NotFound
        raise kind(
            f"{path.name} cannot be read: {error.strerror or error}.",
            remedy="Name a file that you may read, and make space for its contents in the folder of temporary files.",
        ) from error


def _extract(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            _require_plain(archive.infolist())
            archive.extractall(folder)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError) as error:
        raise _no_archive(path, error) from error
    except OSError as error:
        # EINVAL: a field of the archive names a place before its beginning. All else is about this machine.
        if error.errno != errno.EINVAL:
            raise
        raise _no_archive(path, error) from error


def _no_archive(path: Path, error: Exception) -> BundleDamaged:
    return BundleDamaged(f"{path.name} is no whole ZIP archive: {error}.", remedy=_REMEDY)


def _require_unchanged(path: Path, folder: Path) -> None:
    if not (folder / SUMS).is_file():
        raise BundleDamaged(f"{path.name} has no {SUMS}: it is no bundle.", remedy=_REMEDY)
    if (folder / SUMS).read_bytes() != _sums(folder).encode("ascii"):
        raise BundleDamaged(f"The contents differ from {SUMS}.", remedy=_REMEDY)
    again = folder / ".again"
    pack(folder, again)
    if not filecmp.cmp(path, again, shallow=False):
        raise BundleDamaged("The archive's own fields differ from those that a bundle has.", remedy=_REMEDY)
    again.unlink()


_REMEDY = "Get the bundle again from where it was published, or export it again."


def _require_plain(entries: Sequence[zipfile.ZipInfo]) -> None:
    names = [entry.filename for entry in entries]
    if odd := [name for name in names if not _NAME.fullmatch(name)]:
        raise BundleDamaged(f"The archive contains {odd[0]!r}, which no bundle contains.", remedy=_REMEDY)
    if len(set(names)) < len(names):
        raise BundleDamaged("The archive contains a name twice.", remedy=_REMEDY)
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
        raise BundleDamaged("The archive is compressed, which no bundle is.", remedy=_REMEDY)
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        raise BundleDamaged(f"The archive is larger than {MAX_BYTES} bytes.", remedy=_REMEDY)


def _names(folder: Path) -> list[str]:
    files = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(name for name in files if _NAME.fullmatch(name))


def _sums(folder: Path) -> str:
    lines = []
    for name in _names(folder):
        if name not in (SUMS, SIGNATURE):
            with (folder / name).open("rb") as file:
                lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}\n")
    return "".join(lines)
