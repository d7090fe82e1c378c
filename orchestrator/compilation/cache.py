"""Size limit of the build cache, and the ledger of all builds that were in it."""

import shutil
from collections.abc import Collection
from pathlib import Path

import structlog

from orchestrator.compilation.folders import REPORT_FILE, build_folders
from orchestrator.shared.files.stored import StoredDocument
from orchestrator.wire.builds import Toolchain

LEDGER_FILE = "known-builds.json"
_MAX_REMEMBERED = 1000
_TOOLCHAINS = StoredDocument[dict[str, Toolchain]](dict[str, Toolchain])

_log = structlog.get_logger(__name__)


def trim_cache(cache_folder: Path, limit_bytes: int, keep: Collection[str]) -> list[str]:
    """Remove the least recently used builds until the rest fits the limit; return their keys.

    keep: keys of builds that are never removed, even if they exceed the limit.
    """
    folders = sorted(build_folders(cache_folder), key=lambda folder: (folder / REPORT_FILE).stat().st_mtime)
    sizes = {folder: sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) for folder in folders}
    total_bytes = sum(sizes.values())
    removed = []
    for folder in folders:
        if total_bytes <= limit_bytes:
            break
        if folder.name not in keep:
            shutil.rmtree(folder, ignore_errors=True)
            total_bytes -= sizes[folder]
            removed.append(folder.name)
    if removed:
        _log.info("builds removed from the cache", build_keys=removed, limit_bytes=limit_bytes)
    return removed


class BuildLedger:
    """The toolchain of every build made here, so that a removed build can be made again for a job that names it."""

    def __init__(self, path: Path) -> None:
        """Read the ledger; a missing or damaged one is empty."""
        self._path = path
        self._toolchains = _TOOLCHAINS.read(path) or {}

    def remember(self, build_key: str, toolchain: Toolchain) -> None:
        """Store the toolchain of a build and drop the oldest entries beyond a thousand; a write error is logged."""
        if self._toolchains.get(build_key) == toolchain:
            return
        self._toolchains[build_key] = toolchain
        while len(self._toolchains) > _MAX_REMEMBERED:
            del self._toolchains[next(iter(self._toolchains))]
        try:
            _TOOLCHAINS.write(self._path, self._toolchains)
        except OSError as error:
            _log.warning("build not stored in the ledger", build_key=build_key, error=str(error))

    def toolchain_of(self, build_key: str) -> Toolchain | None:
        """Return the toolchain of the build, or None if it was not made here."""
        return self._toolchains.get(build_key)
