"""Interference with an execution on the measured core, from /proc/stat, the core's clock, faults and switches."""

import os
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.machine import marks
from orchestrator.measurement.machine.marks import Disturbance
from orchestrator.measurement.machine.proc_files import TICK_NS

_STAT_BYTES = 65536


@dataclass(frozen=True)
class CoreTimes:
    """Times of one core since boot, in nanoseconds; the kernel counts ticks."""

    busy_ns: int
    stolen_ns: int


def parse_core_times(content: bytes, core: int) -> CoreTimes | None:
    """Return the times of one core from /proc/stat, or None if it has no line there (offline).

    Busy time is user, nice, system, irq and softirq; user includes guest time. Source: proc(5).
    """
    start = content.find(b"\ncpu%d " % core)
    if start < 0:
        return None
    fields = content[start + 1 : content.find(b"\n", start + 1)].split()
    user, nice, system, _idle, _wait, irq, softirq = (int(field) for field in fields[1:8])
    stolen = int(fields[8]) if len(fields) > 8 else 0
    return CoreTimes((user + nice + system + irq + softirq) * TICK_NS, stolen * TICK_NS)


@dataclass(frozen=True)
class CoreState:
    """The measured core at one moment."""

    times: CoreTimes | None
    frequency_hz: int | None


@dataclass(frozen=True)
class Work:
    """Facts about an execution from the launcher and from the runner's report."""

    process_wall_ns: int
    process_cpu_ns: int
    """Of the runner, and of the driver of a language, which executes while the program waits for it."""
    major_faults: int | None
    """Until work end; None if there is no report."""
    involuntary_switches: int
    voluntary_switches: int
    migrations: int | None
    phases_descheduled_ns: int | None = None
    """Of a program behind a driver: its wall time less its CPU time within its phases. Between them it waits."""

    next_cpu_ns: int = 0
    """At most, of a runner that the launcher started next, until the state after this one was read."""

    @property
    def descheduled_ns(self) -> int:
        """Wall time less CPU time; 0 if several threads used more CPU time than wall time."""
        if self.phases_descheduled_ns is not None:
            return self.phases_descheduled_ns
        return max(0, self.process_wall_ns - self.process_cpu_ns)


class CoreWatch:
    """Reader of the state of one core before and after each execution; it keeps its files open."""

    def __init__(self, core: int, proc: Path = Path("/proc"), sys: Path = Path("/sys")) -> None:
        """Open /proc/stat and, if it is readable, the core's clock."""
        self.core = core
        self._stat = os.open(proc / "stat", os.O_RDONLY | os.O_CLOEXEC)
        self._frequency: int | None = None
        self.frequency_reason = ""
        clock = sys / f"devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq"
        try:
            self._frequency = os.open(clock, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            self.frequency_reason = f"{clock}: {error.strerror}"

    def state(self) -> CoreState:
        """Return the current state."""
        times = parse_core_times(os.pread(self._stat, _STAT_BYTES, 0), self.core)
        return CoreState(times, self._frequency_hz())

    def close(self) -> None:
        """Close the files."""
        os.close(self._stat)
        if self._frequency is not None:
            os.close(self._frequency)

    def _frequency_hz(self) -> int | None:
        if self._frequency is None:
            return None
        try:
            return int(os.pread(self._frequency, 32, 0)) * 1000
        except (OSError, ValueError) as error:
            self.frequency_reason = f"scaling_cur_freq: {error}"
            return None


def judge(before: CoreState, after: CoreState, work: Work, frequency_reason: str) -> Disturbance:
    """Return the disturbance that the core shows, from its states before and after and the runner's own use."""
    readings: dict[str, int | float | None] = {
        "others_cpu_ns": None,
        "stolen_ns": None,
        "off_core_ns": work.descheduled_ns,
        "frequency_before_hz": before.frequency_hz,
        "frequency_after_hz": after.frequency_hz,
    }
    found = _marks_of_work(work)
    if before.times and after.times:
        own_ns = work.process_cpu_ns + work.next_cpu_ns
        others_ns = max(0, after.times.busy_ns - before.times.busy_ns - own_ns)
        stolen_ns = max(0, after.times.stolen_ns - before.times.stolen_ns)
        readings |= {"others_cpu_ns": others_ns, "stolen_ns": stolen_ns}
        if others_ns > max(marks.OTHERS_TICKS * TICK_NS, marks.OTHERS_SHARE * work.process_wall_ns):
            found.append(marks.OTHERS_ON_CORE)
        if stolen_ns > 0:
            found.append(marks.STOLEN)
    if before.frequency_hz and after.frequency_hz:
        change = (after.frequency_hz - before.frequency_hz) / before.frequency_hz
        if abs(change) > marks.FREQUENCY_SHARE:
            found.append(marks.FREQUENCY_ROSE if change > 0 else marks.FREQUENCY_DROPPED)
    reasons = {"others_cpu_ns": "/proc/stat has no line for the measured core"}
    reasons["stolen_ns"] = reasons["others_cpu_ns"]
    absent = {name: reasons.get(name, frequency_reason) for name, value in readings.items() if value is None}
    return Disturbance([mark.name for mark in found], readings, absent)


def _marks_of_work(work: Work) -> list[marks.Mark]:
    """Return the marks that follow from the kernel's counts of the execution."""
    found = []
    if work.major_faults:
        found.append(marks.MAJOR_FAULT)
    if work.migrations:
        found.append(marks.MIGRATED)
    if _was_preempted(work):
        found.append(marks.PREEMPTED)
    return found


def _was_preempted(work: Work) -> bool:
    if work.descheduled_ns <= max(marks.DESCHEDULED_NS, marks.DESCHEDULED_SHARE * work.process_wall_ns):
        return False
    if work.voluntary_switches <= marks.MAX_FREE_WAITS:
        return work.involuntary_switches > 0
    tolerated = marks.FREE_PREEMPTIONS + marks.PREEMPTIONS_PER_SECOND * work.process_wall_ns / 1e9
    return work.involuntary_switches > tolerated
