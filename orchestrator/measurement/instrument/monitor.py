"""Monitor of a runner, which samples it from another core: a fine curve from /proc, a coarse one from psutil.

The thread that waits for the runner's end takes both. A second thread would compete with it for the interpreter lock
when the end has to be noticed.
"""

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil

from orchestrator.measurement.instrument.fine_curve import FineCurve, Samples
from orchestrator.wire.launcher import Started

PSUTIL_INTERVAL_NS = 100_000_000
"""Interval of the coarse curve, nanoseconds."""
_NEVER_NS = 2**62


@dataclass(frozen=True)
class MonitorPlan:
    """Sampling intervals of a monitor."""

    fine_interval_ns: int
    coarse_interval_ns: int
    """Interval of psutil's samples."""
    fine: bool = True
    """False disables the curve from /proc, so that calibration can measure its cost."""
    coarse: bool = True

    def open(self, program: Path, measured_core: int | None) -> "Monitor":
        """Return the monitor of one execution."""
        return Monitor(self, program, measured_core)


UNWATCHED = MonitorPlan(fine_interval_ns=10**9, coarse_interval_ns=10**9, fine=False, coarse=False)
"""No sampling: for timing with separate memory executions, for energy, and to measure the cost of sampling."""


@dataclass(frozen=True)
class Watched:
    """Curve and readings of one runner."""

    curve: Samples | None
    readings: dict[str, int | float | None]
    absent: dict[str, str]
    """Reading → why it is null."""
    provenance: dict[str, str] = field(default_factory=dict)
    """Reading → source, for readings whose source depends on the machine."""


class Monitor:
    """Monitor of one execution, an Observer of the launcher's client."""

    def __init__(self, plan: MonitorPlan, program: Path, measured_core: int | None) -> None:
        """Prepare for a runner whose executable is `program`."""
        self._plan = plan
        self._program = program
        self._measured_core = measured_core
        self._fine: FineCurve | None = None
        self._process: psutil.Process | None = None
        self._pid = 0
        self._spawn_ns = 0
        self._fine_due_ns = self._coarse_due_ns = _NEVER_NS
        self._coarse = Samples("psutil")
        self._fine_reason = "the runner ended before the first sample"
        self._coarse_reason = "the runner ended before psutil's first sample"

    def begin(self, started: Started) -> None:
        """Open the runner's files and take the first sample."""
        self._pid, self._spawn_ns = started.pid, started.spawn_ns
        if self._plan.coarse:
            self._coarse_due_ns = started.spawn_ns + self._plan.coarse_interval_ns
        if not self._plan.fine:
            self._fine_reason = "sampling was turned off"
            return
        try:
            self._fine = FineCurve(started, self._plan.fine_interval_ns, self._measured_core)
        except (FileNotFoundError, ProcessLookupError):
            return
        except OSError as error:
            self._fine_reason = f"/proc/{started.pid}: {error.strerror}"
            return
        self._fine_due_ns = 0
        self.observe()

    def due_ns(self) -> int:
        """Return when the next sample is due, on CLOCK_MONOTONIC."""
        return self._fine_due_ns if self._fine_due_ns < self._coarse_due_ns else self._coarse_due_ns

    def observe(self) -> None:
        """Take the samples that are due; a process that has ended gives none."""
        now_ns = time.monotonic_ns()
        fine = self._fine
        if fine is not None and now_ns >= self._fine_due_ns:
            # After the end of the process, the launcher's event follows shortly.
            self._fine_due_ns = now_ns + fine.interval_ns if fine.take(now_ns) else _NEVER_NS
        if now_ns >= self._coarse_due_ns:
            self._sample_psutil()

    def finish(self) -> Watched:
        """Close the files and return curve and readings."""
        curve, coarse = self._fine, self._coarse
        fine = curve.finish() if curve is not None else Samples("proc")
        seen = curve is not None and bool(fine.at_ns)
        readings: dict[str, int | float | None] = {
            "sampling_interval_ns": self._interval_ns(),
            "samples": len(fine.at_ns),
            "curve_peak_rss_bytes": curve.peak_rss_bytes if curve is not None else None,
            "psutil_samples": len(coarse.at_ns),
            "psutil_peak_rss_bytes": max(coarse.rss_bytes, default=None),
            "psutil_cpu_ns": coarse.cpu_ns[-1] if coarse.cpu_ns else None,
            "migrations": curve.migrations if curve is not None and seen and self._measured_core is not None else None,
        }
        reasons = {"psutil_peak_rss_bytes": self._coarse_reason, "psutil_cpu_ns": self._coarse_reason}
        absent = {name: reasons.get(name, self._fine_reason) for name, value in readings.items() if value is None}
        if self._measured_core is None and seen:
            absent["migrations"] = "the runner was not pinned to a core"
        return Watched(_curve(fine, coarse), readings, absent)

    def _interval_ns(self) -> int | None:
        """Return the intended interval of the samples: the plan's, or a longer one after thinning."""
        if not self._plan.fine:
            return None
        return self._fine.interval_ns if self._fine is not None else self._plan.fine_interval_ns

    def _sample_psutil(self) -> None:
        at_ns = time.monotonic_ns()
        self._coarse_due_ns = at_ns + self._plan.coarse_interval_ns
        with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            process = self._process or self._identified()
            if process is None:
                return
            with process.oneshot():
                memory, times = process.memory_info(), process.cpu_times()
                # Threads cost psutil another file, and the fine curve has them. 0: not read.
                threads = process.num_threads() if self._fine is None else 0
            cpu_ns = round((times.user + times.system) * 1e9)
            self._coarse.append(at_ns - self._spawn_ns, memory.rss, cpu_ns, threads)

    def _identified(self) -> psutil.Process | None:
        """Return psutil's process if it executes the runner; otherwise stop sampling with psutil."""
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


def _curve(fine: Samples, coarse: Samples) -> Samples | None:
    """Return the fine curve, or psutil's if there is none."""
    found = fine if fine.at_ns else coarse
    return replace(found, threads=[] if 0 in found.threads else found.threads) if found.at_ns else None
