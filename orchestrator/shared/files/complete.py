"""Files that are written completely or not at all, so that an interrupted one does not look complete."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.shared.errors import InvalidRequest


@contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """Yield a new file that replaces another one at the end; raises OSError.

    Each has a name of its own, because two processes may write the same file at a time, such as one of a shared cache.
    """
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        yield new
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise InvalidRequest if the output of a command, a file or folder, cannot be written within this context."""
    try:
        yield
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be written: {error.strerror}.", field="output") from error


@contextmanager
def complete(path: Path) -> Iterator[Path]:
    """Yield a new file that replaces the output of a command; raises InvalidRequest if it cannot be written."""
    with writing(path), replacement(path) as new:
        yield new


def sync(path: Path) -> None:
    """Return when a file, or the names in a folder, are on the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
