"""Locations and file names of the builds in the cache. Imports nothing of the project, so it loads quickly."""

from pathlib import Path

REPORT_FILE = "build.json"
"""File written last: a folder without it is not a complete build."""
LAUNCHER = "ciphermark-launcher"
PROGRAM_PREFIX = "ciphermark-"


def builds_folder(cache_folder: Path) -> Path:
    """Return the folder that holds the builds."""
    return cache_folder / "builds"


def cache_of(build_folder: Path) -> Path:
    """Return the cache folder in which a build's folder is."""
    return build_folder.parent.parent


def build_folders(cache_folder: Path) -> list[Path]:
    """Return the folders of the complete builds in the cache."""
    reports = sorted(builds_folder(cache_folder).glob(f"*/{REPORT_FILE}"))
    # Builds that are being made have hidden names.
    return [path.parent for path in reports if not path.parent.name.startswith(".")]
