"""The lock on the data folder of ``up``: one process at a time, and a note of its URL."""

import fcntl
import json
import os
import time
from pathlib import Path

from pydantic import ValidationError

from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import AlreadyRunning
from orchestrator.shared.values.models import LazyModel

START_SECONDS = 180.0
"""Timeout of the service's start; a small machine that also builds runners needs most of a minute for imports."""


class Holder(LazyModel):
    """Process that holds the lock, and its URL."""

    pid: int
    url: str | None = None  # unknown until the service answers


class UpLock(Closable):
    """The lock on a data folder; the kernel releases it when the process ends."""

    def __init__(self, path: Path) -> None:
        """Take the lock; raises AlreadyRunning with the URL of the other ``up`` that holds it."""
        self._file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _read(self._file.name)
            self._file.close()
            raise _already_running(path, holder) from None
        self.note(None)

    def note(self, url: str | None) -> None:
        """Write this process's id and the URL of the service."""
        self._file.seek(0)
        self._file.truncate()
        json.dump({"pid": os.getpid(), "url": url}, self._file)
        self._file.flush()

    def close(self) -> None:
        """Release the lock."""
        self._file.seek(0)
        self._file.truncate()
        self._file.close()


def wait_for_start(path: Path) -> None:
    """Wait while the ``up`` that holds the lock is starting; return immediately if there is none, or it has ended."""
    deadline = time.monotonic() + START_SECONDS
    while _is_starting(path) and time.monotonic() < deadline:
        time.sleep(0.1)


def _is_starting(path: Path) -> bool:
    # Not by the lock: an `up` that starts while this process tries it would be refused.
    holder = _read(str(path))
    if holder is None or holder.url is not None:
        return False
    return Path(f"/proc/{holder.pid}").exists()


def _read(path: str) -> Holder | None:
    try:
        return Holder.model_validate_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValidationError):
        return None


def _already_running(path: Path, holder: Holder | None) -> AlreadyRunning:
    where = f" at {holder.url}" if holder and holder.url else ", still starting"
    who = f" (process {holder.pid})" if holder else ""
    return AlreadyRunning(
        f"Ciphermark is already running on {path.parent}{where}{who}.",
        remedy="Use it, stop it, or set CIPHERMARK_DATA_FOLDER to another folder.",
        url=holder.url if holder else None,
        pid=holder.pid if holder else None,
    )
