"""Free space of a disk, compared with the limit below which no new work begins.

Work that has begun needs room until its end: its records are stored below the limit too.
"""

import os
from pathlib import Path

from orchestrator.shared.errors import NoRoom
from orchestrator.shared.units import MIB

MAKE_ROOM = "Make room on it; work continues by itself."


def shortage(folder: Path, min_mib: int) -> str | None:
    """Return what the disk of a folder lacks for new work (room, or permission to write), or None."""
    found = _statistics(folder)
    if found.f_flag & os.ST_RDONLY:
        return "The disk of the data folder is mounted read-only."
    free_mib = _free_bytes(found) // MIB
    if free_mib < min_mib:
        return f"The disk of the data folder has {free_mib} MiB free; new work needs {min_mib} MiB."
    return None


def missing_bytes(folder: Path, min_mib: int) -> int:
    """Return how many bytes must become free on the disk of a folder for new work; 0 if it is read-only."""
    found = _statistics(folder)
    return 0 if found.f_flag & os.ST_RDONLY else max(0, min_mib * MIB - _free_bytes(found))


def require_room(folder: Path, min_mib: int) -> None:
    """Raise NoRoom if no new work may begin."""
    lack = shortage(folder, min_mib)
    if lack is not None:
        raise NoRoom(lack, remedy=f"{MAKE_ROOM} Results that arrive are still stored.")


def _statistics(folder: Path) -> os.statvfs_result:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.statvfs(folder)


def _free_bytes(found: os.statvfs_result) -> int:
    return found.f_bavail * found.f_frsize
