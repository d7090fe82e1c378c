"""Files that hold secrets: readable by their owner alone from the first byte on, and whole or not there."""

import os
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 0600 in one step, so that a reader sees the old one or the new one."""
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    new.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
