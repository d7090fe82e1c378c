"""Files and folders that only their owner may read: mode 0600 and 0700, also where they existed before."""

import os
import secrets
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from orchestrator.shared.errors import SetupError

UMASK = 0o077
"""Permission bits that no new file of a program with secrets has."""
_OTHERS = 0o077
_DATA_FILES = ("*.sqlite*", "*.json", "*.jsonl", "*.lock")
"""Files directly in a data folder; those of other names, as in a home folder, are not the program's."""
_DATA_FOLDERS = ("agent", "backups", "calibration", "chunks", "corpus", "logs", "redis", "watch-reports")
"""Folders directly in a data folder whose contents are the program's alone."""


def write_private(path: Path, text: str) -> None:
    """Write a file with mode 0600 atomically: a reader sees either the old contents or the new."""
    with _new_file(path, text) as new:
        new.replace(path)


def private_secret(path: Path) -> bytes:
    """Return the 32 secret bytes of a file with mode 0600; the first of all callers makes it."""
    if not path.exists():
        with _new_file(path, secrets.token_hex(32)) as new, suppress(FileExistsError):
            path.hardlink_to(new)
    return bytes.fromhex(path.read_text(encoding="utf-8").strip())


@contextmanager
def _new_file(path: Path, text: str) -> Iterator[Path]:
    """Write a text next to a path, to be moved there; it is removed at the end."""
    # The id of a thread is unique on the machine; the file may be left from one that was killed.
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # a database elsewhere does not make the data folder
    new = path.with_name(f".{path.name}.{threading.get_native_id()}.new")
    new.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield new
    finally:
        new.unlink(missing_ok=True)


def private_process(data_folder: Path) -> None:
    """Make the data folder private, and every file that this process and its children create from now on.

    Raises SetupError if other users can open the folder and this user cannot change that.
    """
    os.umask(UMASK)
    make_private(data_folder)


def make_private(data_folder: Path) -> None:
    """Create a data folder with mode 0700, or remove the rights of others from it and from what is in it."""
    data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _restrict(data_folder)
    if data_folder.stat().st_mode & 0o007:
        raise SetupError(
            f"{data_folder} is open to all users of this machine and belongs to another user.",
            remedy=f"Change its owner or its mode (chmod 700 {data_folder}), or set CIPHERMARK_DATA_FOLDER to a "
            "folder of this user.",
        )
    for pattern in _DATA_FILES:
        for path in data_folder.glob(pattern):
            _restrict(path)
    for name in _DATA_FOLDERS:
        top = data_folder / name
        if top.is_dir() and not top.is_symlink():
            _restrict(top)
            for path in top.rglob("*"):
                _restrict(path)


def _restrict(path: Path) -> None:
    """Remove the rights of group and others from a file or folder of this user; links are not followed."""
    try:
        status = path.lstat()
        if status.st_mode & _OTHERS and status.st_uid == os.geteuid() and not stat.S_ISLNK(status.st_mode):
            path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)
    except FileNotFoundError:
        # A temporary file of another process that is gone.
        return
