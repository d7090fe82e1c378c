"""Where the kernel's files are: a parameter of everything that reads them, so that tests bring folders of their own."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Roots:
    """Where the kernel's files are: other folders in tests."""

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    etc: Path = Path("/etc")
    dev: Path = Path("/dev")
    search_path: str | None = None
    """Where programs are looked for, as in PATH; None: PATH itself."""

    @property
    def cpu(self) -> Path:
        """The folder of the processor's cores."""
        return self.sys / "devices/system/cpu"


KERNEL = Roots()
"""The machine's own."""


def read_text(path: Path) -> str | None:
    """Return the stripped content of a kernel file, or None where it is missing, unreadable or empty."""
    try:
        return path.read_text(errors="replace").strip("\0 \n\t") or None
    except OSError:
        return None
