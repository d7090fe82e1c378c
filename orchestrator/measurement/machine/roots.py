"""Locations of the kernel's files, a parameter of every reader, so that tests can pass their own folders."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Roots:
    """Locations of the kernel's files."""

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    etc: Path = Path("/etc")
    dev: Path = Path("/dev")
    search_path: str | None = None
    """Folders in which programs are searched, as in PATH; None for PATH itself."""

    @property
    def cpu(self) -> Path:
        """Folder of the processor's cores."""
        return self.sys / "devices/system/cpu"


KERNEL = Roots()
"""Locations on the machine itself."""


def read_text(path: Path) -> str | None:
    """Return the stripped content of a kernel file, or None if it is missing, unreadable or empty."""
    try:
        return path.read_text(errors="replace").strip("\0 \n\t") or None
    except OSError:
        return None
