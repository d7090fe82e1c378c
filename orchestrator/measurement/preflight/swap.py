"""Swap: what was written out has to be read again, at a moment that nobody chose."""

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import Condition, PreflightContext, read_number
from orchestrator.units import KIB, format_bytes_approximately
from orchestrator.wire.health import PreflightResult


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Look how much swap there is and whether anything is in it.

    Tuning leaves it alone: without swap a small device may have to end a program, perhaps the daemon.
    """
    condition = Condition("swap", "nothing swapped out")
    path = roots.proc / "meminfo"
    sizes = _sizes(read_text(path) or "")
    if "SwapTotal" not in sizes or "SwapFree" not in sizes:
        return condition.no_file(path)
    total, used = sizes["SwapTotal"], sizes["SwapTotal"] - sizes["SwapFree"]
    if total == 0:
        return condition.good("no swap")
    swappiness = read_number(roots.proc / "sys/vm/swappiness")
    inclination = "" if swappiness is None else f", swappiness {swappiness}"
    size = format_bytes_approximately(total)
    if used == 0:
        return condition.good(f"nothing of {size} in use{inclination}")
    return condition.poor(
        f"{format_bytes_approximately(used)} of {size} in use{inclination}",
        "End what fills the memory; then, if that much memory is free: sudo swapoff -a && sudo swapon -a",
    )


def _sizes(meminfo: str) -> dict[str, int]:
    """Return the fields of /proc/meminfo that count kibibytes, in bytes."""
    fields = (line.split() for line in meminfo.splitlines())
    return {words[0].rstrip(":"): int(words[1]) * KIB for words in fields if len(words) == 3 and words[1].isdigit()}
