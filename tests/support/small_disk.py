"""A small disk of its own (tmpfs), which tests fill and make read-only; it needs the permission to mount."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.shared.units import MIB

FILLER = "filler"


@dataclass(frozen=True)
class SmallDisk:
    """A mounted tmpfs."""

    folder: Path

    def fill(self, leave_bytes: int = 0) -> None:
        """Fill the disk but for so many bytes."""
        free_bytes = shutil.disk_usage(self.folder).free - leave_bytes
        # A program may take the last page while this writes, or the disk is full already.
        with suppress(OSError), (self.folder / FILLER).open("ab") as file:
            for _ in range(max(0, free_bytes) // 4096):
                file.write(b"\0" * 4096)
                file.flush()

    def empty(self) -> None:
        """Make room again."""
        (self.folder / FILLER).unlink(missing_ok=True)

    def enlarge(self, more_mib: int) -> None:
        """Enlarge the disk by so many MiB."""
        size_mib = shutil.disk_usage(self.folder).total // MIB + more_mib
        subprocess.run(["mount", "-o", f"remount,size={size_mib}m", str(self.folder)], check=True)

    def set_read_only(self, read_only: bool) -> bool:
        """Remount the disk; return False while a file that is open for writing prevents it."""
        mode = "ro" if read_only else "rw"
        done = subprocess.run(["mount", "-o", f"remount,{mode}", str(self.folder)], capture_output=True, check=False)
        return done.returncode == 0


@contextmanager
def mounted(folder: Path, size_mib: int) -> Iterator[SmallDisk | None]:
    """Mount a disk of this size during the block; yield None where that is not permitted."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_mib}m,mode=0700", "none", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        yield None
        return
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


@contextmanager
def small_disk(folder: Path, size_mib: int) -> Iterator[SmallDisk]:
    """Mount a disk during the block; skip the test where mounting is not permitted."""
    with mounted(folder, size_mib) as disk:
        if disk is None:
            pytest.skip("mounting a tmpfs needs the permissions of root")
        yield disk
