"""Use of a database file by service and scheduler, which excludes its replacement by a restore.

SQLite's own locks exist only between the first statement of a connection and its end, so a service that has just
started, or is idle, has none.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.database.engine import file_of
from orchestrator.shared.errors import AlreadyRunning

SUFFIX = ".in-use"
_SHARED_FIRST, _SHARED_BYTES = 0x40000002, 510
"""Bytes of its file that every open connection of SQLite in WAL mode locks for reading (sqlite.org/fileformat)."""


@contextmanager
def in_use(database_url: str) -> Iterator[None]:
    """Use the database during the block; several programs may. Raises AlreadyRunning while it is being replaced."""
    path = file_of(database_url)
    if path is None:
        yield
        return
    with _locked(path, fcntl.LOCK_SH, f"The database {path.name} is being restored.", "Start again when it is done."):
        yield


@contextmanager
def replaced(path: Path) -> Iterator[None]:
    """Replace the file during the block. Raises AlreadyRunning while a program uses it."""
    refusal = f"A program uses the database {path.name}."
    remedy = "Stop `ciphermark up`, or the service and the scheduler, and restore again."
    with _locked(path, fcntl.LOCK_EX, refusal, remedy):
        # Other programs, such as the shell of SQLite, have its locks alone.
        if path.exists() and _is_open(path):
            raise AlreadyRunning(refusal, remedy=remedy)
        yield


def _is_open(path: Path) -> bool:
    with path.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_BYTES, _SHARED_FIRST)
        except OSError:
            return True
        return False


@contextmanager
def _locked(path: Path, kind: int, refusal: str, remedy: str) -> Iterator[None]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.with_name(path.name + SUFFIX).open("a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(refusal, remedy=remedy) from None
        yield
