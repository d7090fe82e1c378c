"""Bounds that no time of a record can break on any machine. Pure.

Each bound is far below what machines reach, so that it proves a false report and never rejects a fast device:

- **Clock**: no processor runs faster than ``MAX_CLOCK_HZ`` (the record under liquid helium is 9.1 GHz, 2025). Where the
  inventory has a maximum frequency, twice that: some kernels report it without boost.
- **Work**: each algorithm has a least number of cycles for a byte (``least_work.py``). A runner uses one core.
- **Timer**: ``TIMER_NS`` is the coarsest clock that runners use, far above the 52 ns of the Raspberry Pi 3.
- **Process**: creating a process and executing a program takes more than ``PROCESS_NS``; lmbench's ``lat_proc exec``
  reports some 100 µs on the fastest machines.
- **CPU time**: rusage cannot exceed wall time × cores by more than one tick of the kernel for each core.
- **Timeout**: a plan allows an execution at most one day.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from orchestrator.results.admission.least_work import LeastWork
from orchestrator.shared.units import format_duration_ns
from orchestrator.wire.records import Record, TimingSeries

MAX_CLOCK_HZ = 10e9
TIMER_NS = 1_000
PROCESS_NS = 1_000
TICK_NS = 10_000_000
MAX_CORES = 4096
MAX_DURATION_NS = 2 * 86_400 * 10**9
_DURATIONS = ("work_wall_ns", "process_wall_ns", "call_wall_ns")


@dataclass(frozen=True)
class MachineFacts:
    """Facts of the agent's inventory that bound its times; None is unknown."""

    max_frequency_hz: float | None = None
    cores: int | None = None

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> "MachineFacts":
        """Return the facts of an inventory's document."""
        processor = facts.get("processor") or {}
        return cls(processor.get("max_frequency_hz"), processor.get("cores"))

    @property
    def clock_hz(self) -> float:
        """Upper bound of the clock."""
        return min(MAX_CLOCK_HZ, 2 * self.max_frequency_hz) if self.max_frequency_hz else MAX_CLOCK_HZ

    def min_ns(self, cycles: float) -> float:
        """Return the lower bound of the time in which one core executes that many cycles, nanoseconds."""
        return cycles / self.clock_hz * 1e9


@dataclass(frozen=True)
class ExecutionTimes:
    """Times of a stored execution, named as in a record."""

    state: str
    purpose: str
    work_wall_ns: int | None
    process_wall_ns: int | None
    phase_wall_ns: Mapping[str, int] | None
    work_cpu_ns: int | None
    call_wall_ns: float | None
    timings: TimingSeries | None


def duration_ns(record: Record) -> int:
    """Return a lower bound of the wall time that an execution occupied its agent, nanoseconds."""
    timed = sum(record.timings.wall_ns) if record.timings is not None else 0
    return max(record.process_wall_ns or 0, record.work_wall_ns or 0, timed)


def broken_bound(record: Record | ExecutionTimes, work: LeastWork, machine: MachineFacts) -> str | None:
    """Return the bound that an ok record breaks, as a sentence with both values; None for possible times."""
    if record.state != "ok":
        return None
    durations = {name: getattr(record, name) for name in _DURATIONS} | _phase_times(record)
    for name, value in durations.items():
        if value is not None and value > MAX_DURATION_NS:
            longest = format_duration_ns(MAX_DURATION_NS)
            return f"{name} is {value:g} ns, more than {longest}, twice the longest timeout."
    if record.timings is not None:
        return _broken_by_timings(record, work, machine)
    return _broken_by_process(record, work, machine)


def _broken_by_process(record: Record | ExecutionTimes, least: LeastWork, machine: MachineFacts) -> str | None:
    work, process = record.work_wall_ns, record.process_wall_ns
    for name, value in (("work_wall_ns", work), ("process_wall_ns", process)):
        if value is not None and value < PROCESS_NS:
            return f"{name} is {value} ns, below the {PROCESS_NS} ns in which no machine starts a program."
    if work is not None and process is not None and work > process + TIMER_NS:
        return f"work_wall_ns is {work} ns, longer than the whole process with {process} ns."
    # The medians of an energy window belong to different executions, so their sum is bounded by nothing.
    phases = sum((record.phase_wall_ns or {}).values())
    if work is not None and record.purpose != "energy" and phases > work + TIMER_NS:
        return f"the phases take {phases} ns, longer than the whole work with {work} ns."
    bounded = {f"{phase}_wall_ns": cycles for phase, cycles in least.by_phase.items()} | {"work_wall_ns": least.cycles}
    times = {**_phase_times(record), "work_wall_ns": work}
    for name, cycles in bounded.items():
        value = times.get(name)
        if value is not None and value + TIMER_NS < machine.min_ns(cycles):
            return _too_fast(name, value, cycles, machine)
    return _broken_by_cpu(record.work_cpu_ns, work, machine)


def _phase_times(record: Record | ExecutionTimes) -> dict[str, int | None]:
    return {f"{phase}_wall_ns": wall_ns for phase, wall_ns in (record.phase_wall_ns or {}).items()}


def _broken_by_timings(record: Record | ExecutionTimes, least: LeastWork, machine: MachineFacts) -> str | None:
    timings, call, process = record.timings, record.call_wall_ns, record.process_wall_ns
    if timings is None or call is None:
        return None
    per_call = [wall / calls for wall, calls in zip(timings.wall_ns, timings.iterations, strict=True)]
    if not math.isclose(call, median(per_call), rel_tol=1e-6, abs_tol=1e-3):
        return f"call_wall_ns is {call:g}, the median of its timings is {median(per_call):g} ns."
    if process is not None and sum(timings.wall_ns) > process + TIMER_NS:
        return f"the timings take {sum(timings.wall_ns)} ns, longer than the whole process with {process} ns."
    call_cycles = max(least.cycles, 1)
    for wall, calls, cpu in zip(timings.wall_ns, timings.iterations, timings.cpu_ns, strict=True):
        if wall + TIMER_NS < machine.min_ns(calls * call_cycles) or wall == 0:
            return _too_fast(f"a timing of {calls} calls", wall, calls * call_cycles, machine)
        broken = _broken_by_cpu(cpu, wall, machine)
        if broken:
            return broken
    return None


def _broken_by_cpu(cpu_ns: float | None, wall_ns: float | None, machine: MachineFacts) -> str | None:
    if cpu_ns is None or wall_ns is None:
        return None
    cores = min(machine.cores or MAX_CORES, MAX_CORES)
    limit = (wall_ns + TICK_NS) * cores
    if cpu_ns > limit:
        return f"the CPU time is {cpu_ns:g} ns in {wall_ns:g} ns on {cores} cores, at most {limit:g} ns are possible."
    return None


def _too_fast(name: str, value: float, cycles: float, machine: MachineFacts) -> str:
    return (
        f"{name} is {value:.0f} ns; its algorithm takes at least {cycles:.3g} cycles on any machine, which are "
        f"{machine.min_ns(cycles):.0f} ns at {machine.clock_hz / 1e9:.3g} GHz."
    )
