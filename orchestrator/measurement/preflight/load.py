"""Load of others: whoever else wants the processor takes time, caches, memory bandwidth and heat."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.machine.proc_files import TICK_NS, parse_stat
from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import Condition, PreflightContext
from orchestrator.wire.health import PreflightResult

PRESSURE_PERCENT = 5.0
"""Share of the last 10 s in which somebody waited for a processor."""
BUSY_TICKS = 2
"""A process that got so many in one look kept a core busy: the kernel counts whole ticks, one may be a leftover."""


@dataclass(frozen=True)
class ProcessTime:
    """What one process has used so far."""

    name: str
    cpu_ns: int


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Watch all processes for a moment, and ask the kernel who had to wait.

    The load average is told and does not decide: our own last runner is still in it.
    """
    condition = Condition("load", f"nobody else busy; waiting for a processor below {PRESSURE_PERCENT:.0f} % of 10 s")
    averages = read_text(roots.proc / "loadavg")
    if averages is None:
        return condition.no_file(roots.proc / "loadavg")
    before = _processes(roots.proc)
    time.sleep(context.look_seconds)
    busiest = busiest_other(before, _processes(roots.proc), context.own_process)
    pressure = parse_pressure(read_text(roots.proc / "pressure/cpu") or "")
    waiting = "pressure unknown (no /proc/pressure/cpu)" if pressure is None else f"waiting {pressure:.1f} % of 10 s"
    name = f"busiest other: {busiest.name}" if busiest else "no other process busy"
    found = f"load average {averages.split()[0]}, {waiting}, {name}"
    if (pressure or 0.0) < PRESSURE_PERCENT and busiest is None:
        return condition.good(found)
    return condition.poor(found, f"End or stop {busiest.name if busiest else 'what else is running'} while you measure")


def parse_pressure(text: str) -> float | None:
    """Return avg10 of the line ``some``, in percent; None where it is not there. Source: the kernel's psi.rst."""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["some"]:
            values = dict(word.split("=", 1) for word in words[1:] if "=" in word)
            return float(values["avg10"]) if "avg10" in values else None
    return None


def busiest_other(
    before: Mapping[int, ProcessTime], after: Mapping[int, ProcessTime], own_process: int
) -> ProcessTime | None:
    """Return the process that used most between two looks, with that much; None where none kept a core busy."""
    used = [
        ProcessTime(now.name, now.cpu_ns - before[pid].cpu_ns)
        for pid, now in after.items()
        if pid in before and pid != own_process
    ]
    most = max(used, key=lambda process: process.cpu_ns, default=None)
    return most if most is not None and most.cpu_ns >= BUSY_TICKS * TICK_NS else None


def _processes(proc: Path) -> dict[int, ProcessTime]:
    """Return the CPU time of every process. One that ends while it is read is left out."""
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
