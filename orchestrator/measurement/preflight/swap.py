"""Swap: pages that were swapped out are read again at an unpredictable time."""

from orchestrator.measurement.machine.proc_files import parse_meminfo
from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import PreflightContext, Requirement, read_number
from orchestrator.shared.units import format_bytes_approximately
from orchestrator.wire.health import PreflightResult


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Check whether any swap space is in use.

    Tuning does not change it: without swap, the kernel of a small device may kill a program, perhaps the daemon.
    """
    requirement = Requirement("swap", "no swap in use")
    path = roots.proc / "meminfo"
    sizes = parse_meminfo(read_text(path) or "")
    if "SwapTotal" not in sizes or "SwapFree" not in sizes:
        return requirement.no_file(path)
    total, used = sizes["SwapTotal"], sizes["SwapTotal"] - sizes["SwapFree"]
    if total == 0:
        return requirement.good("no swap")
    swappiness = read_number(roots.proc / "sys/vm/swappiness")
    suffix = "" if swappiness is None else f", swappiness {swappiness}"
    size = format_bytes_approximately(total)
    if used == 0:
        return requirement.good(f"none of {size} in use{suffix}")
    return requirement.poor(
        f"{format_bytes_approximately(used)} of {size} in use{suffix}",
        "End the programs that fill the memory; then, if enough memory is free: sudo swapoff -a && sudo swapon -a",
    )
