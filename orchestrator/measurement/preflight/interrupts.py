"""Interrupts on the measured core: each one takes time from the runner and replaces lines of its caches."""

from collections.abc import Iterator
from pathlib import Path

from orchestrator.measurement.machine.core_lists import format_core_list, read_core_list
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import KernelSetting, PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult

TUNABLE_FILES = (r"proc/irq/\d+/smp_affinity_list",)


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Check whether the measured core serves interrupt lines."""
    requirement = Requirement("interrupts", "no interrupt line served by the measured core", tunable=True)
    lines = list(_lines(roots.proc))
    if not lines:
        return requirement.no_file(roots.proc / "irq/*/smp_affinity_list")
    served = [line.name for line in lines if context.measured_core in _serving(line)]
    found = f"{len(served)} of {len(lines)} lines served by core {context.measured_core}"
    if not served:
        return requirement.good(found)
    return requirement.poor(
        found,
        "ciphermark daemon tune (the kernel does not move every line); exclude the core from irqbalance: "
        f"IRQBALANCE_BANNED_CPULIST={context.measured_core} in /etc/default/irqbalance",
    )


def settings(roots: Roots, context: PreflightContext) -> list[KernelSetting]:
    """Return settings that move each line to the other cores it may use, or to all other cores if it may use none."""
    core = context.measured_core
    others = (read_core_list(roots.cpu / "online") or frozenset()) - {core}
    found = []
    for line in _lines(roots.proc):
        allowed = read_core_list(line / "smp_affinity_list") or frozenset()
        targets = (allowed & others) or others
        if core in allowed and targets:
            file = f"proc/irq/{line.name}/smp_affinity_list"
            found.append(KernelSetting("interrupts", file, format_core_list(targets), optional=True))
    return found


def _lines(proc: Path) -> Iterator[Path]:
    """Yield the folders of the lines in use, lowest number first."""
    folders = [path for path in (proc / "irq").glob("[0-9]*") if (path / "smp_affinity_list").exists()]
    yield from sorted(folders, key=lambda path: int(path.name))


def _serving(line: Path) -> frozenset[int]:
    """Return the cores that serve a line; before Linux 4.15 the kernel lists only those that may serve it."""
    serving = read_core_list(line / "effective_affinity_list")
    return (serving or read_core_list(line / "smp_affinity_list")) or frozenset()
