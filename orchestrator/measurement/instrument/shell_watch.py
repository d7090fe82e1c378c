"""Watch of the shell that started a runner, as benchmarks do that poll the process of ``Popen(…, shell=True)``.

It shows the error of that method next to our own readings of the same execution: on systems whose ``/bin/sh`` starts
the command as a child, such as dash of Debian, the polled memory is that of the shell.
"""

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from orchestrator.measurement.instrument.monitor import PSUTIL_INTERVAL_NS, UNWATCHED, Monitor, Watched
from orchestrator.wire.launcher import Started

_MEAN, _SAMPLES = "shell_mean_rss_bytes", "shell_samples"
_NO_SAMPLE = "the shell ended before the first sample"


@dataclass(frozen=True)
class ShellWatchPlan:
    """Sampling interval of the watch."""

    interval_ns: int = PSUTIL_INTERVAL_NS

    def open(self, program: Path, measured_core: int | None) -> "ShellWatch":
        """Return the watch of one execution; program: the shell."""
        return ShellWatch(self, program, measured_core)


class ShellWatch:
    """Watch of one execution, an Observer of the launcher's client."""

    def __init__(self, plan: ShellWatchPlan, shell: Path, measured_core: int | None) -> None:
        """Prepare for a runner that this shell starts; the runner itself is not sampled."""
        self._plan = plan
        self._shell = shell
        self._unwatched = Monitor(UNWATCHED, shell, measured_core)
        self._process: psutil.Process | None = None
        self._due_ns = 0
        self._rss_bytes: list[int] = []

    def begin(self, started: Started) -> None:
        """Take the first sample."""
        self._unwatched.begin(started)
        with suppress(psutil.NoSuchProcess):
            self._process = psutil.Process(started.pid)
        self.observe()

    def due_ns(self) -> int:
        """Return when the next sample is due, on CLOCK_MONOTONIC."""
        return self._due_ns

    def observe(self) -> None:
        """Take the sample that is due; a process that has ended gives none."""
        now_ns = time.monotonic_ns()
        if now_ns < self._due_ns:
            return
        self._due_ns = now_ns + self._plan.interval_ns
        if self._process is not None:
            with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
                # A process that is ending has no memory any more, before it is a zombie.
                if rss_bytes := self._process.memory_info().rss:
                    self._rss_bytes.append(rss_bytes)

    def finish(self) -> Watched:
        """Return the mean of all samples, and why there is no reading of a sampled runner."""
        seen, unwatched = self._rss_bytes, self._unwatched.finish()
        readings = {_MEAN: sum(seen) / len(seen) if seen else None, _SAMPLES: len(seen)}
        return replace(
            unwatched,
            readings={**unwatched.readings, **readings},
            absent=unwatched.absent if seen else {**unwatched.absent, _MEAN: _NO_SAMPLE},
            provenance={_MEAN: f"psutil, process of {self._shell} ({self._shell.resolve()})"} if seen else {},
        )
