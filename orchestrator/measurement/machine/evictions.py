"""Pages that the kernel took out of memory, and processes that it ended for lack of it, from /proc/vmstat."""

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress

from orchestrator.measurement.machine.roots import KERNEL, Roots, read_text

_INTERVAL_NS = 100_000_000
"""Interval between two readings: one takes 50 µs, as long as an examination of the pages of a program."""
_VMSTAT_BYTES = 65_536
_COUNTERS = re.compile(rb"^(?:pgsteal_|drop_pagecache|workingset_refault)\S* \d+$", re.MULTILINE)
"""Pages that were reclaimed or read again, and requests to drop all of them."""


class Evictions:
    """The kernel's counters, compared with their last values."""

    def __init__(self, roots: Roots = KERNEL, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """Open the file; without it, every call of `occurred` returns True."""
        self._clock_ns = clock_ns
        self._due_ns = 0
        self._last: list[bytes] = []
        self._file: int | None = None
        with suppress(OSError):
            self._file = os.open(roots.proc / "vmstat", os.O_RDONLY | os.O_CLOEXEC)

    def occurred(self) -> bool:
        """Return whether pages may have left memory since the last call; always True without the counters."""
        now_ns = self._clock_ns()
        if now_ns < self._due_ns:
            return False
        found = _COUNTERS.findall(os.pread(self._file, _VMSTAT_BYTES, 0)) if self._file is not None else []
        if found and found == self._last:
            self._due_ns = now_ns + _INTERVAL_NS
            return False
        self._last = found
        return True

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)


class MemoryKills:
    """The kernel's counter, compared with its value at the last call.

    It is read only at the creation and after a runner was killed, so that executions cost nothing. It counts the kills
    of every control group, so the cause is probable, not certain.
    """

    def __init__(self, roots: Roots = KERNEL) -> None:
        """Read the counter."""
        self._path = roots.proc / "vmstat"
        self._last = self._count()

    def new(self) -> int:
        """Return the number of kills since the creation or the last call; 0 without the counter."""
        before, self._last = self._last, self._count()
        return max(0, self._last - before)

    def _count(self) -> int:
        for line in (read_text(self._path) or "").splitlines():
            name, _, value = line.partition(" ")
            if name == "oom_kill" and value.isdigit():
                return int(value)
        return 0
