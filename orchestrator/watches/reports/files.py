"""Reports as lines of a file in the data folder."""

import os
from pathlib import Path

from orchestrator.shared.units import MIB

FOLDER = "watch-reports"
MAX_BYTES = 16 * MIB
"""Size above which a file gets the ending .1, in place of the one before."""


def report_file(data_folder: Path, watch: str) -> Path:
    """Return the file of a watch's reports."""
    return data_folder / FOLDER / f"{watch}.jsonl"


def append(data_folder: Path, watch: str, body: bytes) -> None:
    """Add a report to a watch's file, which only the user of the service may read."""
    path = report_file(data_folder, watch)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > MAX_BYTES:
        path.replace(path.with_suffix(".jsonl.1"))
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
        file.write(body + b"\n")
        file.flush()
        os.fsync(file.fileno())
