"""Files that a user names in a command: read within a limit, tested before a measurement and written after it."""

import gzip
import os
import zlib
from pathlib import Path

from orchestrator.shared.errors import InvalidRequest, NotFound, SetupError
from orchestrator.shared.units import format_size

_GZIP = b"\x1f\x8b"
_INPUT = Path("/dev/stdin")


def read_text_file(path: Path, max_bytes: int, remedy: str, field: str = "file") -> str:
    """Return the text of a file, decompressed if gzip compressed it; ``-`` is the standard input.

    remedy: what helps if it is too long. field: option or argument that names it. Raises NotFound for a file that does
    not exist, and InvalidRequest for one that cannot be read, is damaged, is no UTF-8 text or has more than
    `max_bytes`; of a compressed one no more is decompressed.
    """
    try:
        with (_INPUT if str(path) == "-" else path).open("rb") as opened:
            # One look at the start of an open file: a pipe cannot be opened again.
            compressed = opened.peek(len(_GZIP)).startswith(_GZIP)
            content = (gzip.GzipFile(fileobj=opened) if compressed else opened).read(max_bytes + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InvalidRequest(
            f"{path} is no whole gzip file: {error}.", remedy="Copy it again from its device.", field=field
        ) from None
    except OSError as error:
        kind = NotFound if isinstance(error, FileNotFoundError) else InvalidRequest
        raise kind(
            f"{path} cannot be read: {error.strerror}.", remedy="Name a file that you may read.", field=field
        ) from None
    if len(content) > max_bytes:
        raise InvalidRequest(f"{path} has more than {format_size(max_bytes)}.", remedy=remedy, field=field)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidRequest(
            f"{path} is no UTF-8 text at byte {error.start}.", remedy="Name the text that a tool wrote.", field=field
        ) from None


def require_writable(file: Path) -> None:
    """Raise InvalidRequest for a file that cannot be written, before anything is measured."""
    folder = file.absolute().parent
    if not folder.is_dir():
        reason = f"the folder {folder} does not exist"
    elif file.is_dir():
        reason = "it is a folder"
    elif not os.access(file if file.exists() else folder, os.W_OK):
        reason = "permission denied"
    else:
        return
    raise InvalidRequest(f"{file} cannot be written: {reason}.", remedy="Name a file that can be written.")


def write_file(file: Path, contents: bytes) -> None:
    """Write a file; raise SetupError if that fails although it could be written before the measurement."""
    try:
        file.write_bytes(contents)
    except OSError as error:
        raise SetupError(f"{file} cannot be written: {error.strerror}.", remedy="Free space, then repeat.") from error
