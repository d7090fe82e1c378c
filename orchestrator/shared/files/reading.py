"""Files that a user names on the command line, read within a limit."""

import gzip
import zlib
from pathlib import Path

from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import format_size

_GZIP = b"\x1f\x8b"


def read_text_file(path: Path, max_bytes: int, remedy: str) -> str:
    """Return the text of a file, decompressed if gzip compressed it.

    remedy: what helps if it is too long. Raises InvalidRequest for a file that cannot be read, is damaged, is no UTF-8
    text or has more than `max_bytes`; of a compressed file no more is decompressed.
    """
    try:
        with path.open("rb") as opened:
            compressed = opened.read(len(_GZIP)) == _GZIP
        with gzip.open(path) if compressed else path.open("rb") as source:
            content = source.read(max_bytes + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InvalidRequest(
            f"{path} is no whole gzip file: {error}.", remedy="Copy it again from its device.", field="file"
        ) from None
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be read: {error.strerror}.", remedy="Name a file that you may read.", field="file"
        ) from None
    if len(content) > max_bytes:
        raise InvalidRequest(f"{path} has more than {format_size(max_bytes)}.", remedy=remedy, field="file")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidRequest(
            f"{path} is no UTF-8 text at byte {error.start}.", remedy="Name the file that the tool wrote.", field="file"
        ) from None
