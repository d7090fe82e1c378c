"""The fine curve of one process: its /proc files are read while it lives and understood when there is time.

Reading both takes 50 µs of the watching core where the thread has to be woken for it, 30 of them for waking up;
parsing at once, in caches gone cold, took as much again (2-core VM, kernel 6.18, 2026-11).
"""

import os
from dataclasses import dataclass, field

from orchestrator.measurement.machine.proc_files import STAT_BYTES, ProcessFiles, parse_stat, parse_statm_rss_bytes
from orchestrator.wire.launcher import Started

MOST_SAMPLES = 500_000
"""A longer curve keeps every second sample, and is sampled half as often from then on."""
_UNDERSTOOD_TOGETHER = 1000


@dataclass
class Samples:
    """One column a quantity; all of the same length."""

    at_ns: list[int] = field(default_factory=list)
    rss_bytes: list[int] = field(default_factory=list)
    cpu_ns: list[int] = field(default_factory=list)
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
    """Reads the files of one process as often as it is told to."""

    def __init__(self, started: Started, interval_ns: int, measured_core: int | None, most: int = MOST_SAMPLES) -> None:
        """Open the files; raises FileNotFoundError or ProcessLookupError when the process is gone.

        most: samples that are kept; at this many every second one goes.
        """
        self._files = ProcessFiles(started.pid)
        self._most = most
        self._stat, self._statm = self._files.descriptors
        self._spawn_ns = started.spawn_ns
        self._measured_core = measured_core
        self._raw: list[tuple[int, bytes, bytes]] = []
        self._samples = Samples()
        self._peak_rss_bytes = 0
        self.interval_ns = interval_ns
        self.migrations = 0
        """Samples that found the process on another core than the measured one."""

    def take(self, at_ns: int) -> bool:
        """Read the files now, `at_ns` on CLOCK_MONOTONIC; False when the process has ended."""
        try:
            self._raw.append((at_ns, os.pread(self._stat, STAT_BYTES, 0), os.pread(self._statm, STAT_BYTES, 0)))
        except ProcessLookupError:
            return False
        if len(self._raw) >= _UNDERSTOOD_TOGETHER:
            self._understand()
        return True

    def finish(self) -> Samples:
        """Close the files and return the samples."""
        self._files.close()
        self._understand()
        return self._samples

    @property
    def peak_rss_bytes(self) -> int | None:
        """The largest sample, also of those that thinning left out; None where there is none."""
        return self._peak_rss_bytes or None

    def _understand(self) -> None:
        for at_ns, stat_line, statm_line in self._raw:
            try:
                stat, rss_bytes = parse_stat(stat_line), parse_statm_rss_bytes(statm_line)
            except ValueError:
                continue  # It ended while it was read.
            if stat.state in "ZX" or rss_bytes == 0:
                continue  # Its memory is given back already: not a state of the work.
            self._samples.append(at_ns - self._spawn_ns, rss_bytes, stat.cpu_ns, stat.threads)
            self._peak_rss_bytes = max(self._peak_rss_bytes, rss_bytes)
            self.migrations += self._measured_core is not None and stat.core != self._measured_core
        self._raw.clear()
        if len(self._samples.at_ns) >= self._most:
            self._samples.thin()
            self.interval_ns *= 2
