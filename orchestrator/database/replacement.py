"""Replacement of a database file by another one, which is completed after a crash or a power failure.

The new file gets the name ``.<file>.replacing`` when all of it is on the disk. From then on the replacement is decided:
a program that finds this name completes it before it opens the database. Before, nothing has changed.
"""

from datetime import UTC, datetime
from pathlib import Path

from orchestrator.database import usage
from orchestrator.database.integrity import MARK_SUFFIX
from orchestrator.shared.files.complete import sync

_WRITE_AHEAD = ("-wal", "-shm")


def replace(path: Path, new: Path) -> Path | None:
    """Replace a database by another file of its folder; return where the replaced one is now, None if there was none.

    The caller excludes other programs (usage.replaced).
    """
    sync(new)
    new.rename(_decided(path))
    return _complete(path)


def complete_interrupted(path: Path) -> None:
    """Complete the replacement that another process decided and did not complete.

    Raises AlreadyRunning while that process lives.
    """
    if _decided(path).exists():
        with usage.replaced(path):
            if _decided(path).exists():
                _complete(path)


def _decided(path: Path) -> Path:
    return path.with_name(f".{path.name}.replacing")


def _complete(path: Path) -> Path | None:
    sync(path.parent)
    new = _decided(path)
    # The same name after an interruption, so that a database and its write-ahead log stay together.
    stamp = datetime.fromtimestamp(new.stat().st_mtime, UTC).strftime("%Y%m%dT%H%M%S%fZ")
    aside = path.with_name(f"{path.name}.replaced-{stamp}")
    path.with_name(path.name + MARK_SUFFIX).unlink(missing_ok=True)
    for suffix in ("", *_WRITE_AHEAD):
        present = path.with_name(path.name + suffix)
        if present.exists():
            present.rename(aside.with_name(aside.name + suffix))
    new.rename(path)
    sync(path.parent)
    return aside if aside.exists() else None
