"""Load of other processes: they use processor time, caches and memory bandwidth, and heat the device."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.machine.proc_files import TICK_NS, parse_stat
from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult

PRESSURE_PERCENT = 5.0
"""Share of the last 10 s in which some process waited for a processor."""
BUSY_TICKS = 2
"""Ticks within one observation from which a process counts as busy.

The kernel charges whole ticks; a single one may belong to time before the observation.
"""


@dataclass(frozen=True)
class ProcessTime:
    """CPU time of a process since its start."""

    name: str
    cpu_ns: int


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Watch all processes for a moment, and read the kernel's pressure stall information.

    The load average is reported but not judged, because it still includes the daemon's own last runner.
    """
    requirement = Requirement(
        "load", f"no other process busy; waiting for a processor below {PRESSURE_PERCENT:.0f} % of 10 s"
    )
    averages = read_text(roots.proc / "loadavg")
    if averages is None:
        return requirement.no_file(roots.proc / "loadavg")
    before = _processes(roots.proc)
    time.sleep(context.watch_seconds)
    busiest = busiest_other(before, _processes(roots.proc), context.own_process)
    pressure = parse_pressure(read_text(roots.proc / "pressure/cpu") or "")
    waiting = "pressure unknown (no /proc/pressure/cpu)" if pressure is None else f"waiting {pressure:.1f} % of 10 s"
    name = f"busiest other: {busiest.name}" if busiest else "no other process busy"
    found = f"load average {averages.split()[0]}, {waiting}, {name}"
    if (pressure or 0.0) < PRESSURE_PERCENT and busiest is None:
        return requirement.good(found)
    return requirement.poor(found, f"End or stop {busiest.name if busiest else 'the other programs'} while measuring")


def parse_pressure(text: str) -> float | None:
    """Return avg10 of the line ``some``, in percent, or None if it is missing. Source: the kernel's psi.rst."""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["some"]:
            values = dict(word.split("=", 1) for word in words[1:] if "=" in word)
            return float(values["avg10"]) if "avg10" in values else None
    return None


def busiest_other(
    before: Mapping[int, ProcessTime], after: Mapping[int, ProcessTime], own_process: int
) -> ProcessTime | None:
    """Return the other process that used most CPU time between two observations, or None if none was busy."""
    used = [
        ProcessTime(now.name, now.cpu_ns - before[pid].cpu_ns)
        for pid, now in after.items()
        if pid in before and pid != own_process
    ]
    most = max(used, key=lambda process: process.cpu_ns, default=None)
    return most if most is not None and most.cpu_ns >= BUSY_TICKS * TICK_NS else None


def _processes(proc: Path) -> dict[int, ProcessTime]:
    """Return the CPU time of every process by its id; one that ends while it is read is left out."""
    found = {}
    for folder in proc.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            stat = parse_stat((folder / "stat").read_bytes())
        except (OSError, ValueError):
            continue
        found[int(folder.name)] = ProcessTime(stat.name, stat.cpu_ns)
    return found
