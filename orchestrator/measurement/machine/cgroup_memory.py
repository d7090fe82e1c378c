"""Peak memory as a control group of the kernel's counts it: a cross-check of what a process says of itself.

The launcher lives in a group of its own, so that its runners are born there; the peak is set back before and read
after each execution. Moving a process takes 11 to 14 ms (2-core VM, kernel 6.18), so it is done once, when the launcher
starts. What a group is charged is not what a process has resident: see docs/measurement.md.
"""

import errno
import itertools
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from orchestrator.measurement.machine.roots import KERNEL, Roots, read_text

PREFIX = "ciphermark-launcher-"
_NUMBERS = itertools.count(1)
_REMOVE_SECONDS = 1.0
_DIGITS = 32


@dataclass(frozen=True)
class Place:
    """Where a group can be made."""

    version: int
    """1 or 2, of the control groups."""
    parent: Path


@dataclass(frozen=True)
class _Files:
    """The control files of one version."""

    peak: str
    usage: str


_FILES = {1: _Files("memory.max_usage_in_bytes", "memory.usage_in_bytes"), 2: _Files("memory.peak", "memory.current")}


def find_place(roots: Roots = KERNEL) -> Place | str:
    """Return where this process may have a group with the memory controller, or why nowhere."""
    own = read_text(roots.proc / "self/cgroup")
    if own is None:
        return f"{roots.proc}/self/cgroup cannot be read: this kernel has no control groups"
    paths = {controllers: path for _, controllers, path in (line.split(":", 2) for line in own.splitlines())}
    for controllers, path in paths.items():
        if "memory" in controllers.split(","):
            parent = roots.sys / "fs/cgroup/memory" / path.lstrip("/")
            return Place(1, parent) if parent.is_dir() else f"{parent} is not there: the mount shows another part"
    if "" not in paths:
        return f"{roots.proc}/self/cgroup names no memory controller"
    return _place_in_unified(roots.sys / "fs/cgroup", paths[""])


def _place_in_unified(mount: Path, path: str) -> Place | str:
    """Look at our own group, then at the one above it: a group with processes may not have controlled children."""
    if "memory" not in (read_text(mount / "cgroup.controllers") or "").split():
        return (
            f"{mount}/cgroup.controllers does not list memory; on a Raspberry Pi add cgroup_enable=memory to "
            "/boot/firmware/cmdline.txt"
        )
    own = mount / path.lstrip("/")
    for parent in (own, own.parent) if own != mount else (own,):
        if "memory" in (read_text(parent / "cgroup.subtree_control") or "").split():
            return Place(2, parent)
    return f"no subtree of {own} has the memory controller (cgroup.subtree_control); a service needs Delegate=memory"


class MemoryGroup:
    """One group and its peak. Whatever the kernel refuses is an OSError."""

    def __init__(self, place: Place, folder: Path) -> None:
        """Open the files of a group that exists."""
        self.folder = folder
        files = _FILES[place.version]
        self._usage = os.open(folder / files.usage, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self._peak = os.open(folder / files.peak, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            os.close(self._usage)
            raise
        self._held_bytes = 0

    @classmethod
    def make(cls, place: Place) -> Self:
        """Make a group of our own, after removing what daemons that are no more have left."""
        remove_leftovers(place.parent)
        folder = place.parent / f"{PREFIX}{os.getpid()}-{next(_NUMBERS)}"
        folder.mkdir()
        try:
            return cls(place, folder)
        except OSError:
            folder.rmdir()
            raise

    def admit(self, pid: int) -> None:
        """Move a process here; what it starts later is born here."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def reset(self) -> None:
        """Set the peak back to what the group holds now.

        v1 takes a 0. v2 takes any word since Linux 6.12, and sets the peak back for this open file alone; before, it
        answers EINVAL.
        """
        os.pwrite(self._peak, b"0", 0)
        self._held_bytes = _number(self._usage)

    def peak_bytes(self) -> int:
        """Return the peak since the last reset, less what the group held then."""
        return max(0, _number(self._peak) - self._held_bytes)

    def close(self) -> None:
        """Close the files and remove the group; its processes have ended."""
        os.close(self._usage)
        os.close(self._peak)
        _remove(self.folder)


def _number(descriptor: int) -> int:
    """Read one number again; a v2 peak belongs to the open file, so it must not be opened anew."""
    return int(os.pread(descriptor, _DIGITS, 0))


def remove_leftovers(parent: Path) -> None:
    """Remove the groups of daemons that have ended without removing them; what still has processes stays."""
    for folder in parent.glob(f"{PREFIX}*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists():
            with suppress(OSError):
                folder.rmdir()


def _remove(folder: Path) -> None:
    """Remove a group; a runner that was just killed may need a moment. What stays is removed by the next daemon."""
    deadline = time.monotonic() + _REMOVE_SECONDS
    while True:
        try:
            folder.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                return
            time.sleep(0.01)


class PeakWatch:
    """The peak of each execution, or the reason why there is none; nothing of it ever fails an execution."""

    def __init__(self, roots: Roots = KERNEL) -> None:
        """Look for a place; the group is made with the first launcher."""
        place = find_place(roots)
        self._place = place if isinstance(place, Place) else None
        self._reason = "" if isinstance(place, Place) else place
        self._group: MemoryGroup | None = None

    def admit(self, launcher_pid: int) -> None:
        """Move a launcher that has just started into the group. Takes 11 to 14 ms."""
        if self._place is None:
            return
        try:
            self._group = self._group or MemoryGroup.make(self._place)
            self._group.admit(launcher_pid)
            self._group.reset()
        except OSError as error:
            self._give_up(f"no memory group under {self._place.parent}: {refusal_words(error)}")

    def begin(self) -> None:
        """An execution begins now."""
        if self._group is not None:
            try:
                self._group.reset()
            except OSError as error:
                self._give_up(f"{self._group.folder}: {refusal_words(error)}")

    def end(self) -> tuple[int | None, str]:
        """Return the execution's peak in bytes, or None with the reason."""
        if self._group is None:
            return None, self._reason or "the launcher has no group yet"
        try:
            return self._group.peak_bytes(), ""
        except (OSError, ValueError) as error:
            return None, f"{self._group.folder}: {error}"

    def close(self) -> None:
        """Remove the group; the launcher has ended."""
        if self._group is not None:
            self._group.close()
            self._group = None

    def _give_up(self, reason: str) -> None:
        self._reason, self._place = reason, None
        self.close()


def refusal_words(error: OSError) -> str:
    """Say what the kernel refused; a v2 peak that cannot be set back belongs to the whole life of the group."""
    words = f"{error.filename or 'its peak'}: {error.strerror}"
    unsettable = error.errno == errno.EINVAL or str(error.filename).endswith("memory.peak")
    return f"{words}; a peak that can be set back needs Linux 6.12" if unsettable else words


def peak_readings(
    peak: tuple[int | None, str], peak_rss_bytes: int | float | None, launcher_max_rss_bytes: int | float | None
) -> tuple[dict[str, int | float | None], dict[str, str]]:
    """Return what the sources of peak memory say beside each other, and why what is null is null."""
    cgroup_bytes, reason = peak
    readings: dict[str, int | float | None] = {
        "cgroup_peak_bytes": cgroup_bytes,
        "cgroup_peak_disagreement_bytes": _difference(cgroup_bytes, peak_rss_bytes),
        "launcher_peak_disagreement_bytes": _difference(launcher_max_rss_bytes, peak_rss_bytes),
    }
    no_peak = "the runner reported no peak_rss_bytes"
    reasons = {"cgroup_peak_bytes": reason, "cgroup_peak_disagreement_bytes": reason or no_peak}
    return readings, {name: reasons.get(name, no_peak) for name, value in readings.items() if value is None}


def _difference(one: int | float | None, other: int | float | None) -> int | None:
    return None if one is None or other is None else int(one) - int(other)
