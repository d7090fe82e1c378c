"""Fine curve of one process: its /proc files are read while it executes and parsed later.

Reading both files takes 50 µs of the monitor's core if the thread has to be woken, 30 µs of them for waking up.
Parsing immediately, with cold caches, took the same time again (2-core VM, kernel 6.18, 2026-11).
"""

import os
from dataclasses import dataclass, field
from typing import Literal

from orchestrator.measurement.machine.proc_files import STAT_BYTES, ProcessFiles, parse_stat, parse_statm_rss_bytes
from orchestrator.wire.launcher import MAX_CURVE_SAMPLES, Started

_PARSE_BATCH = 1000


@dataclass
class Samples:
    """Samples of one execution, in columns of equal length; a column without a source is empty."""

    source: Literal["proc", "psutil"]
    at_ns: list[int] = field(default_factory=list)
    """Nanoseconds since the spawn."""
    rss_bytes: list[int] = field(default_factory=list)
    cpu_ns: list[int] = field(default_factory=list)
    """User and system time since the spawn, with the resolution of the kernel's ticks."""
    threads: list[int] = field(default_factory=list)

    def append(self, at_ns: int, rss_bytes: int, cpu_ns: int, threads: int) -> None:
        """Add one sample."""
        self.at_ns.append(at_ns)
        self.rss_bytes.append(rss_bytes)
        self.cpu_ns.append(cpu_ns)
        self.threads.append(threads)

    def thin(self) -> None:
        """Keep every second sample."""
        for column in (self.at_ns, self.rss_bytes, self.cpu_ns, self.threads):
            del column[1::2]


class FineCurve:
    """Sampler of one process; the caller decides when to take a sample."""

    def __init__(
        self, started: Started, interval_ns: int, measured_core: int | None, max_samples: int = MAX_CURVE_SAMPLES
    ) -> None:
        """Open the files; raises FileNotFoundError or ProcessLookupError if the process has ended.

        max_samples: number of samples at which every second one is dropped.
        """
        self._files = ProcessFiles(started.pid)
        self._max_samples = max_samples
        self._stat, self._statm = self._files.descriptors
        self._spawn_ns = started.spawn_ns
        self._measured_core = measured_core
        self._raw: list[tuple[int, bytes, bytes]] = []
        self._samples = Samples("proc")
        self._peak_rss_bytes = 0
        self.interval_ns = interval_ns
        self.migrations = 0
        """Samples that found the process on a core other than the measured one."""

    def take(self, at_ns: int) -> bool:
        """Take a sample at `at_ns` on CLOCK_MONOTONIC; return False if the process has ended."""
        try:
            self._raw.append((at_ns, os.pread(self._stat, STAT_BYTES, 0), os.pread(self._statm, STAT_BYTES, 0)))
        except ProcessLookupError:
            return False
        if len(self._raw) >= _PARSE_BATCH:
            self._parse()
        return True

    def finish(self) -> Samples:
        """Close the files and return the samples."""
        self._files.close()
        self._parse()
        return self._samples

    @property
    def peak_rss_bytes(self) -> int | None:
        """Largest resident size of all samples, including dropped ones; None without samples."""
        return self._peak_rss_bytes or None

    def _parse(self) -> None:
        for at_ns, stat_line, statm_line in self._raw:
            try:
                stat, rss_bytes = parse_stat(stat_line), parse_statm_rss_bytes(statm_line)
            except ValueError:
                continue  # The process ended during the reading.
            if stat.state in "ZX" or rss_bytes == 0:
                continue  # The process has released its memory: not a state of the work.
            self._samples.append(at_ns - self._spawn_ns, rss_bytes, stat.cpu_ns, stat.threads)
            self._peak_rss_bytes = max(self._peak_rss_bytes, rss_bytes)
            self.migrations += self._measured_core is not None and stat.core != self._measured_core
        self._raw.clear()
        if len(self._samples.at_ns) >= self._max_samples:
            self._samples.thin()
            self.interval_ns *= 2
