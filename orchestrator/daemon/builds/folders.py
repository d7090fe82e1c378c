"""Where builds are in the cache, and what their files are called. Imports nothing, so that looking there is quick."""

from pathlib import Path

REPORT_FILE = "build.json"
"""Written last: a folder without it holds no build."""
LAUNCHER = "ciphermark-launcher"
PROGRAM_PREFIX = "ciphermark-"


def builds_folder(cache_folder: Path) -> Path:
    """Return where builds are kept."""
    return cache_folder / "builds"


def build_folders(cache_folder: Path) -> list[Path]:
    """Return the folders of the builds of the cache; those that are just being made have hidden names."""
    reports = sorted(builds_folder(cache_folder).glob(f"*/{REPORT_FILE}"))
    return [path.parent for path in reports if not path.parent.name.startswith(".")]
