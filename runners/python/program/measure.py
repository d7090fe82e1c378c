"""Clock, kernel counters and memory of this process, read between the phases of a command."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from typing import Any

NO_COUNTERS = "Python's standard library cannot read hardware counters"
NO_CLOCK = "Python has no chain of multiplications to find the clock with"
PHASES = ("start", "load", "key_setup", "encrypt", "decrypt")
COUNTERS = ("branch_misses", "cache_misses", "task_clock_ns", "page_faults", "context_switches", "cpu_migrations")

_KIBIBYTE = 1024


def monotonic_ns() -> int:
    """Return CLOCK_MONOTONIC, nanoseconds."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def read_usage() -> dict[str, int]:
    """Return the kernel's sums since the start of the process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "user_us": round(usage.ru_utime * 1e6),
        "system_us": round(usage.ru_stime * 1e6),
        "minor_faults": usage.ru_minflt,
        "major_faults": usage.ru_majflt,
        "voluntary_switches": usage.ru_nvcsw,
        "involuntary_switches": usage.ru_nivcsw,
    }


class Memory:
    """Resident memory from /proc/self/status, bytes; None where it cannot be read."""

    def __init__(self) -> None:
        """Read the file."""
        text = _read_file("/proc/self/status")
        self.read_bytes = len(text)
        self.rss_bytes = _kibibytes(text, b"VmRSS:")
        self.peak_rss_bytes = _kibibytes(text, b"VmHWM:")


def _kibibytes(text: bytes, label: bytes) -> int | None:
    _, found, rest = text.partition(label)
    return int(rest.split(None, 1)[0]) * _KIBIBYTE if found else None


def _read_file(path: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 8192)
    finally:
        os.close(descriptor)


def read_input_output() -> dict[str, Any]:
    """Return /proc/self/io in the fields of a report, without the instruments' share."""
    names = {"rchar": "read_bytes", "wchar": "written_bytes"}
    names |= {"read_bytes": "storage_read_bytes", "write_bytes": "storage_written_bytes"}
    values: dict[str, Any] = dict.fromkeys(names.values())
    for line in _read_file("/proc/self/io").decode().splitlines():
        label, _, number = line.partition(":")
        if label in names:
            values[names[label]] = int(number)
    complete = None not in values.values()
    return {**values, "reason": None if complete else "/proc/self/io cannot be read"}


class Phases:
    """When each phase began and ended, and what the kernel had counted."""

    def __init__(self, main_ns: int) -> None:
        """Record the phase start, which ended at `main_ns`."""
        self.begins_ns: dict[str, int] = {}
        self.ends_ns = {"main": main_ns}
        self.rows: list[dict[str, Any]] = []
        self.instruments_read_bytes = 0
        self.baseline_rss_bytes = self._record("start", None).rss_bytes
        self.peak_rss_bytes: int | None = None

    def measure(self, phase: str, work: Callable[[], Any]) -> Any:
        """Stamp, work, stamp, and only then read what the work used; return the result of the work."""
        before = read_usage()
        begin_ns = monotonic_ns()
        result = work()
        end_ns = monotonic_ns()
        self.begins_ns[phase], self.ends_ns[phase] = begin_ns, end_ns
        self.peak_rss_bytes = self._record(phase, before).peak_rss_bytes
        return result

    def _record(self, phase: str, before: dict[str, int] | None) -> Memory:
        usage, memory = read_usage(), Memory()
        self.instruments_read_bytes += memory.read_bytes
        self.rows.append({"phase": phase, **usage, "rss_bytes": memory.rss_bytes, "begin": before})
        return memory
