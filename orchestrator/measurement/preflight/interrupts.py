"""Interrupts served by the measured core: each one takes time from the runner and warms its caches with others'."""

from collections.abc import Iterator
from pathlib import Path

from orchestrator.measurement.machine.core_lists import format_core_list, read_core_list
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext, Setting
from orchestrator.wire.health import PreflightResult

TUNABLE_FILES = (r"proc/irq/\d+/smp_affinity_list",)


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Count the interrupt lines that the measured core serves."""
    condition = Condition("interrupts", "no interrupt line served by the measured core", tunable=True)
    lines = list(_lines(roots.proc))
    if not lines:
        return condition.no_file(roots.proc / "irq/*/smp_affinity_list")
    served = [line.name for line in lines if context.measured_core in _serving(line)]
    found = f"{len(served)} of {len(lines)} lines served by core {context.measured_core}"
    if not served:
        return condition.good(found)
    return condition.poor(
        found,
        "ciphermark daemon tune (the kernel keeps some lines where they are); irqbalance must leave that core alone: "
        f"IRQBALANCE_BANNED_CPULIST={context.measured_core} in /etc/default/irqbalance",
    )


def settings(roots: Roots, context: PreflightContext) -> list[Setting]:
    """Send every line to the other cores that it may go to, or to all others where it has no other."""
    core = context.measured_core
    others = (read_core_list(roots.cpu / "online") or frozenset()) - {core}
    found = []
    for line in _lines(roots.proc):
        allowed = read_core_list(line / "smp_affinity_list") or frozenset()
        wanted = (allowed & others) or others
        if core in allowed and wanted:
            file = f"proc/irq/{line.name}/smp_affinity_list"
            found.append(Setting("interrupts", file, format_core_list(wanted), optional=True))
    return found


def _lines(proc: Path) -> Iterator[Path]:
    """Yield the folders of the lines that are in use, lowest number first."""
    folders = [path for path in (proc / "irq").glob("[0-9]*") if (path / "smp_affinity_list").exists()]
    yield from sorted(folders, key=lambda path: int(path.name))


def _serving(line: Path) -> frozenset[int]:
    """Return the cores that serve a line now; before Linux 4.15 the kernel tells only those that may."""
    serving = read_core_list(line / "effective_affinity_list")
    return (serving or read_core_list(line / "smp_affinity_list")) or frozenset()
