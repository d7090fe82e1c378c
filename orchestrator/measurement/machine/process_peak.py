"""Peak memory of a whole process with its error bound, from what the launcher and the monitor read. Pure.

Since Linux 6.2 the kernel counts a process's resident pages in three counters (file, anonymous, shared memory), each
with a part per core that stays below a batch of 32 pages, or two pages per core of the machine if that is more
(lib/percpu_counter.c). Its high-water mark, which VmHWM and ru_maxrss report, is updated right before memory is
released, from sums that leave out these parts. So the mark may be wrong by the batches, in both directions. The
resident size at the exit stop and, since Linux 6.16, the samples of the curve are exact: the peak is at least as large.
"""

import os
import re
from dataclasses import dataclass

from orchestrator.wire.launcher import Ended

_COUNTERS = 3
_MIN_BATCH_PAGES = 32
_BATCHED_BY_CORE_SINCE = (6, 2)
NO_BOUND = "this kernel counts resident pages per thread (Linux older than 6.2); the error has no useful bound"
NO_EXIT = "the process ended without a stop at its exit"
_NAME = "peak_rss_error_bytes"


def counter_error_bytes(used_cores: int, cores: int, page_bytes: int, kernel_release: str) -> int | None:
    """Return the largest error of the kernel's high-water mark of a process, or None if it is unknown.

    used_cores: cores on which the process may execute; cores: cores of the machine that are online; kernel_release: as
    ``uname -r`` prints it.
    """
    version = re.match(r"(\d+)\.(\d+)", kernel_release)
    if version is None or (int(version[1]), int(version[2])) < _BATCHED_BY_CORE_SINCE:
        return None
    batch_pages = max(_MIN_BATCH_PAGES, 2 * cores)
    return _COUNTERS * (batch_pages - 1) * used_cores * page_bytes


def counter_error_of_this_machine(*, pinned: bool) -> int | None:
    """Return the bound for a process on one core of this machine, or on any."""
    cores = os.sysconf("SC_NPROCESSORS_ONLN")
    return counter_error_bytes(1 if pinned else cores, cores, os.sysconf("SC_PAGE_SIZE"), os.uname().release)


@dataclass(frozen=True)
class ProcessPeak:
    """Peak of a process, or of the largest one among it and the children that it waited for."""

    peak_bytes: int
    low_bytes: int
    """The true peak is not below."""
    high_bytes: int | None
    """The true peak is not above; None if the kernel's error is unknown."""

    @property
    def error_bytes(self) -> int | None:
        """Largest difference between this peak and the true one."""
        return (
            None
            if self.high_bytes is None
            else max(self.high_bytes - self.peak_bytes, self.peak_bytes - self.low_bytes)
        )


def process_peak(ended: Ended, curve_peak_bytes: int | None, counter_error: int | None) -> ProcessPeak:
    """Return the peak of a process that has ended.

    curve_peak_bytes: maximum of the samples. counter_error: from counter_error_bytes.
    """
    sampled = curve_peak_bytes or 0
    certain = max(ended.exit_rss_bytes or 0, sampled if ended.counters_exact else 0)
    mark = max(ended.exit_peak_bytes or 0, sampled)
    error = counter_error or 0
    informative = ended.launcher_peak_bytes is None or ended.max_rss_bytes > ended.launcher_peak_bytes + error
    alone = ended.exit_peak_bytes is not None and not ended.had_children
    if alone and (not informative or ended.max_rss_bytes <= mark + error):
        # ru_maxrss concerns the same memory, and the mark is not above it unless the memory at the exit is.
        peak = max(certain, mark)
        high = max(certain, (ended.max_rss_bytes if informative else mark) + error)
    else:
        # A child, or the program before an exec, may have been larger.
        peak = max(certain, mark, ended.max_rss_bytes if informative or ended.exit_peak_bytes is None else 0)
        high = max(peak, ended.max_rss_bytes + error)
    low = max(certain, (peak if informative or ended.exit_peak_bytes is not None else 0) - error)
    return ProcessPeak(peak, min(low, peak), None if counter_error is None else max(high, peak))


def process_peak_readings(
    ended: Ended, curve_peak_bytes: int | None, counter_error: int | None
) -> tuple[dict[str, int | float | None], dict[str, str]]:
    """Return the readings of a process's peak, and the reasons for null ones."""
    found = process_peak(ended, curve_peak_bytes, counter_error)
    traced = ended.exit_peak_bytes is not None
    readings: dict[str, int | float | None] = {
        "process_peak_rss_bytes": found.peak_bytes,
        "process_peak_rss_error_bytes": found.error_bytes,
        "exit_peak_rss_bytes": ended.exit_peak_bytes,
        "exit_rss_bytes": ended.exit_rss_bytes,
        "exit_stop_ns": ended.exit_stop_ns if traced else None,
    }
    reason = ended.exit_reason or NO_EXIT
    absent = {name: reason for name, value in readings.items() if value is None}
    if found.error_bytes is None:
        absent["process_peak_rss_error_bytes"] = NO_BOUND
    return readings, absent


def runner_peak_readings(
    peak_rss_bytes: int | None, counter_error: int | None
) -> tuple[dict[str, int | float | None], dict[str, str]]:
    """Return the bound of the peak that a runner read itself, and the reason if it is unknown.

    The bound is the same on every kernel: since Linux 6.16 VmHWM includes the exact resident size, but a larger one
    that was released before is known from the batched counters only.
    """
    if peak_rss_bytes is None:
        return {}, {}
    return {_NAME: counter_error}, {} if counter_error is not None else {_NAME: NO_BOUND}
