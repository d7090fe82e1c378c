"""Keeps the cache of builds within its limit, and remembers what was in it."""

import shutil
from collections.abc import Collection
from pathlib import Path

import structlog
from pydantic import TypeAdapter, ValidationError

from orchestrator.daemon.builds.folders import REPORT_FILE, build_folders
from orchestrator.wire.builds import Toolchain

LEDGER_FILE = "known-builds.json"
_MOST_REMEMBERED = 1000
_TOOLCHAINS = TypeAdapter(dict[str, Toolchain])

_log = structlog.get_logger(__name__)


def trim_cache(cache_folder: Path, limit_bytes: int, keep: Collection[str]) -> list[str]:
    """Remove the least recently used builds until the rest fits the limit; return the removed keys.

    keep: never removed, even where they alone exceed the limit.
    """
    folders = sorted(build_folders(cache_folder), key=lambda folder: (folder / REPORT_FILE).stat().st_mtime)
    sizes = {folder: _size_bytes(folder) for folder in folders}
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
        _log.info("builds dropped", build_keys=removed, limit_bytes=limit_bytes)
    return removed


class BuildLedger:
    """Which toolchain made which build: the cache may be emptied, but jobs go on naming what was in it."""

    def __init__(self, path: Path) -> None:
        """Read the ledger; a missing or damaged one is empty."""
        self._path = path
        try:
            self._toolchains = _TOOLCHAINS.validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            self._toolchains = {}

    def remember(self, build_key: str, toolchain: Toolchain) -> None:
        """Note a build; the oldest notes go beyond a thousand. A full disk costs the note, not the build."""
        if self._toolchains.get(build_key) == toolchain:
            return
        self._toolchains[build_key] = toolchain
        while len(self._toolchains) > _MOST_REMEMBERED:
            del self._toolchains[next(iter(self._toolchains))]
        incoming = self._path.with_suffix(".incoming")
        try:
            incoming.write_bytes(_TOOLCHAINS.dump_json(self._toolchains))
            incoming.replace(self._path)
        except OSError as error:
            _log.warning("build not noted", build_key=build_key, error=str(error))

    def toolchain_of(self, build_key: str) -> Toolchain | None:
        """Return what made the build, or None for one that was never here."""
        return self._toolchains.get(build_key)


def _size_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
