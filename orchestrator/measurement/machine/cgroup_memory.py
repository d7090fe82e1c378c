"""Peak memory of a control group, a cross-check of the peak that a runner reports about itself.

The launcher is in a group of its own, so that its runners start there. It resets the peak before each execution and
reads it after the end, from files that are opened here. Moving a process takes 11 to 14 ms (2-core VM, kernel 6.18), so
this is done once, when the launcher starts. Memory charged to a group differs from the resident size of a process: see
docs/measurement.md.
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


@dataclass(frozen=True)
class ParentGroup:
    """Parent group in which a group can be created."""

    version: int
    """Version of control groups: 1 or 2."""
    parent: Path


@dataclass(frozen=True)
class _Files:
    """Names of the control files in one version."""

    peak: str
    usage: str


_FILES = {1: _Files("memory.max_usage_in_bytes", "memory.usage_in_bytes"), 2: _Files("memory.peak", "memory.current")}


def find_place(roots: Roots = KERNEL) -> ParentGroup | str:
    """Return where this process may create a group with the memory controller, or why it cannot."""
    own = read_text(roots.proc / "self/cgroup")
    if own is None:
        return f"{roots.proc}/self/cgroup cannot be read: this kernel has no control groups"
    paths = {controllers: path for _, controllers, path in (line.split(":", 2) for line in own.splitlines())}
    for controllers, path in paths.items():
        if "memory" in controllers.split(","):
            parent = roots.sys / "fs/cgroup/memory" / path.lstrip("/")
            return (
                ParentGroup(1, parent)
                if parent.is_dir()
                else f"{parent} does not exist: the mount shows another part of the hierarchy"
            )
    if "" not in paths:
        return f"{roots.proc}/self/cgroup names no memory controller"
    return _place_in_unified(roots.sys / "fs/cgroup", paths[""])


def _place_in_unified(mount: Path, path: str) -> ParentGroup | str:
    """Return this process's group or its parent: a group with processes may not have controlled children."""
    if "memory" not in (read_text(mount / "cgroup.controllers") or "").split():
        return (
            f"{mount}/cgroup.controllers does not list memory; on a Raspberry Pi add cgroup_enable=memory to "
            "/boot/firmware/cmdline.txt"
        )
    own = mount / path.lstrip("/")
    for parent in (own, own.parent) if own != mount else (own,):
        if "memory" in (read_text(parent / "cgroup.subtree_control") or "").split():
            return ParentGroup(2, parent)
    return f"no subtree of {own} has the memory controller (cgroup.subtree_control); a service needs Delegate=memory"


class MemoryGroup:
    """Control group with its peak memory. Methods raise OSError for what the kernel rejects."""

    def __init__(self, place: ParentGroup, folder: Path) -> None:
        """Open the files of an existing group.

        Resetting shows whether the kernel can. Version 1 accepts a 0. Version 2 accepts any string since Linux 6.12 and
        resets the peak of this open file only, which the launcher therefore inherits; earlier kernels return EINVAL.
        """
        self.folder = folder
        files = _FILES[place.version]
        opened: list[int] = []
        try:
            opened.append(os.open(folder / files.peak, os.O_RDWR | os.O_CLOEXEC))
            opened.append(os.open(folder / files.usage, os.O_RDONLY | os.O_CLOEXEC))
            os.pwrite(opened[0], b"0", 0)
        except OSError:
            for descriptor in opened:
                os.close(descriptor)
            raise
        self.files = (opened[0], opened[1])
        """Descriptors of the peak and of the present usage."""

    @classmethod
    def make(cls, place: ParentGroup) -> Self:
        """Create a group, after removing groups that ended daemons left behind."""
        remove_leftovers(place.parent)
        folder = place.parent / f"{PREFIX}{os.getpid()}-{next(_NUMBERS)}"
        folder.mkdir()
        try:
            return cls(place, folder)
        except OSError:
            folder.rmdir()
            raise

    def admit(self, pid: int) -> None:
        """Move a process into the group; its later children start in the group, too."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def close(self) -> None:
        """Close the files and remove the group, whose processes must have ended."""
        for descriptor in self.files:
            os.close(descriptor)
        _remove(self.folder)


def remove_leftovers(parent: Path) -> None:
    """Remove groups whose daemons have ended; groups with processes remain."""
    for folder in parent.glob(f"{PREFIX}*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists():
            with suppress(OSError):
                folder.rmdir()


def _remove(folder: Path) -> None:
    """Remove a group, with retries while a killed runner ends; the next daemon removes a group that remains."""
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
    """Group of one launcher at a time; its errors become reasons and never fail an execution."""

    def __init__(self, roots: Roots = KERNEL) -> None:
        """Find a place for the group, which is created with the first launcher."""
        place = find_place(roots)
        self._place = place if isinstance(place, ParentGroup) else None
        self._reason = "" if isinstance(place, ParentGroup) else place
        self._group: MemoryGroup | None = None

    def open(self) -> tuple[int, int] | None:
        """Return the files that the next launcher inherits, of its peak and its usage; None if there is no group."""
        if self._group is None and self._place is not None:
            try:
                self._group = MemoryGroup.make(self._place)
            except OSError as error:
                self._give_up(f"no memory group below {self._place.parent}: {describe_error(error)}")
        return None if self._group is None else self._group.files

    def admit(self, launcher_pid: int) -> None:
        """Move a launcher that has just started into the group; takes 11 to 14 ms."""
        if self._group is not None:
            try:
                self._group.admit(launcher_pid)
            except OSError as error:
                self._give_up(f"{self._group.folder}: {describe_error(error)}")

    def peak(self, cgroup_peak_bytes: int | None) -> tuple[int | None, str]:
        """Return the peak that the launcher read, or None and the reason."""
        if self._group is None or cgroup_peak_bytes is None:
            return None, self._reason or "the launcher could not read the peak of its group"
        return cgroup_peak_bytes, ""

    def close(self) -> None:
        """Remove the group, after the launcher has ended."""
        if self._group is not None:
            self._group.close()
            self._group = None

    def _give_up(self, reason: str) -> None:
        self._reason, self._place = reason, None
        self.close()


def describe_error(error: OSError) -> str:
    """Return the error as text, with a hint if the kernel cannot reset a peak."""
    text = f"{error.filename or 'its peak'}: {error.strerror}"
    unresettable = error.errno == errno.EINVAL or str(error.filename).endswith("memory.peak")
    return f"{text}; resetting the peak requires Linux 6.12" if unresettable else text


def peak_readings(
    peak: tuple[int | None, str], peak_rss_bytes: int | float | None, launcher_max_rss_bytes: int | float | None
) -> tuple[dict[str, int | float | None], dict[str, str]]:
    """Return the readings that compare the sources of peak memory, and the reasons for null ones."""
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
