"""Watches a runner from outside, from another core: the fine curve from /proc, the coarse one from psutil.

Both are taken by the thread that waits for the runner's end. A second thread would fight it for the
interpreter lock, just when the end has to be noticed.
"""

import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from orchestrator.measurement.metrics import Metric
from orchestrator.measurement.proc_files import ProcessFiles
from orchestrator.wire.launcher import Started
from orchestrator.wire.records import Curve

METRICS = (
    Metric("sampling_interval_ns", "ns", "monitor", "1 ns", "Intended distance of the curve's samples."),
    Metric("samples", "1", "monitor", "1", "Samples of the curve."),
    Metric("curve_peak_rss_bytes", "bytes", "/proc/PID/statm", "1 page",
           "Largest resident size among the samples; misses what lies between them."),
    Metric("psutil_samples", "1", "psutil", "1", "Samples taken by psutil."),
    Metric("psutil_peak_rss_bytes", "bytes", "psutil memory_info", "1 page",
           "Largest resident size that psutil saw; cross-check of the curve."),
    Metric("psutil_cpu_ns", "ns", "psutil cpu_times", "1 tick", "User and system time at psutil's last sample."),
    Metric("migrations", "1", "/proc/PID/stat", "one per sample",
           "Samples that found the runner on another core than the measured one."),
)  # fmt: skip

_NEVER_NS = 2**62


@dataclass(frozen=True)
class MonitorPlan:
    """How densely to watch."""

    fine_interval_ns: int
    coarse_interval_ns: int
    """Of psutil."""
    fine: bool = True
    """False turns the curve from /proc off: calibration measures what it costs."""
    coarse: bool = True


UNWATCHED = MonitorPlan(fine_interval_ns=10**9, coarse_interval_ns=10**9, fine=False, coarse=False)
"""No sampling at all: for timing where memory is measured apart, and for energy."""


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


@dataclass(frozen=True)
class Watched:
    """What the monitor saw of one runner."""

    curve: Curve | None
    readings: dict[str, int | float | None]
    absent: dict[str, str]
    """Reading → why it is null."""


class Monitor:
    """Watches one execution; an Observer of the launcher's client."""

    def __init__(self, plan: MonitorPlan, program: Path, measured_core: int | None) -> None:
        """Prepare for one runner, whose file is `program`."""
        self._plan = plan
        self._program = program
        self._measured_core = measured_core
        self._files: ProcessFiles | None = None
        self._process: psutil.Process | None = None
        self._pid = 0
        self._spawn_ns = 0
        self._fine_due_ns = self._coarse_due_ns = _NEVER_NS
        self._fine, self._coarse = Samples(), Samples()
        self._migrations = 0
        self._fine_reason = "the runner ended before the first sample"
        self._coarse_reason = "the runner ended before psutil's first sample"

    def begin(self, started: Started) -> None:
        """Open the runner's files and take the first sample at once."""
        self._pid, self._spawn_ns = started.pid, started.spawn_ns
        if self._plan.coarse:
            self._coarse_due_ns = started.spawn_ns + self._plan.coarse_interval_ns
        if not self._plan.fine:
            self._fine_reason = "sampling was turned off"
            return
        try:
            self._files = ProcessFiles(started.pid)
        except (FileNotFoundError, ProcessLookupError):
            return
        except OSError as error:
            self._fine_reason = f"/proc/{started.pid}: {error.strerror}"
            return
        self._fine_due_ns = 0
        self.observe()

    def due_ns(self) -> int:
        """Return when the next sample is due, on CLOCK_MONOTONIC."""
        return min(self._fine_due_ns, self._coarse_due_ns)

    def observe(self) -> None:
        """Take the samples that are due; a process that has just ended gives none."""
        now_ns = time.monotonic_ns()
        if now_ns >= self._fine_due_ns:
            self._sample_files()
        if now_ns >= self._coarse_due_ns:
            self._sample_psutil()

    def finish(self) -> Watched:
        """Close everything and say what was seen."""
        if self._files is not None:
            self._files.close()
            self._files = None
        fine, coarse = self._fine, self._coarse
        readings: dict[str, int | float | None] = {
            "sampling_interval_ns": self._plan.fine_interval_ns if self._plan.fine else None,
            "samples": len(fine.at_ns),
            "curve_peak_rss_bytes": max(fine.rss_bytes, default=None),
            "psutil_samples": len(coarse.at_ns),
            "psutil_peak_rss_bytes": max(coarse.rss_bytes, default=None),
            "psutil_cpu_ns": coarse.cpu_ns[-1] if coarse.cpu_ns else None,
            "migrations": self._migrations if fine.at_ns and self._measured_core is not None else None,
        }
        reasons = {"psutil_peak_rss_bytes": self._coarse_reason, "psutil_cpu_ns": self._coarse_reason}
        absent = {name: reasons.get(name, self._fine_reason) for name, value in readings.items() if value is None}
        if self._measured_core is None and fine.at_ns:
            absent["migrations"] = "the runner was not pinned to a core"
        return Watched(self._curve(), readings, absent)

    def _curve(self) -> Curve | None:
        """The fine curve, or psutil's where /proc gave none."""
        if self._fine.at_ns:
            return _as_curve(self._fine, "proc")
        return _as_curve(self._coarse, "psutil") if self._coarse.at_ns else None

    def _sample_files(self) -> None:
        files = self._files
        if files is None:
            self._fine_due_ns = _NEVER_NS
            return
        at_ns = time.monotonic_ns()
        try:
            stat, rss_bytes = files.stat(), files.rss_bytes()
        except (ProcessLookupError, ValueError):
            self._fine_due_ns = _NEVER_NS  # It has ended; the launcher's event is on its way.
            return
        self._fine_due_ns = at_ns + self._plan.fine_interval_ns
        if stat.state in "ZX" or rss_bytes == 0:
            return  # Its memory is given back already: not a state of the work.
        self._fine.append(at_ns - self._spawn_ns, rss_bytes, stat.cpu_ns, stat.threads)
        self._migrations += self._measured_core is not None and stat.core != self._measured_core

    def _sample_psutil(self) -> None:
        at_ns = time.monotonic_ns()
        self._coarse_due_ns = at_ns + self._plan.coarse_interval_ns
        with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            process = self._process or self._identified()
            if process is None:
                return
            with process.oneshot():
                memory, times, threads = process.memory_info(), process.cpu_times(), process.num_threads()
            cpu_ns = round((times.user + times.system) * 1e9)
            self._coarse.append(at_ns - self._spawn_ns, memory.rss, cpu_ns, threads)

    def _identified(self) -> psutil.Process | None:
        """Return psutil's process if it executes the runner's file; else stop asking psutil."""
        process = psutil.Process(self._pid)
        try:
            seen = process.exe()
        except psutil.AccessDenied:
            seen = ""
        if Path(seen) != self._program:
            self._coarse_reason = f"process {self._pid} executes {seen or 'an unreadable file'}, not the runner"
            self._coarse_due_ns = _NEVER_NS
            return None
        self._process = process
        return process


def _as_curve(samples: Samples, source: str) -> Curve:
    return Curve.model_validate(
        {
            "at_ns": samples.at_ns,
            "rss_bytes": samples.rss_bytes,
            "cpu_ns": samples.cpu_ns,
            "threads": samples.threads,
            "source": source,
        }
    )
