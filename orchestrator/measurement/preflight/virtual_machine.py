"""A virtual machine: its host may take the processor away, and need not say so."""

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import Condition, PreflightContext
from orchestrator.wire.health import PreflightResult

STOLEN_SHARE = 0.001
_FIELDS = 8
"""user, nice, system, idle, iowait, irq, softirq, steal. Source: proc(5)."""


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Look how much time the host has taken since boot; a host that reports none is no proof that it takes none."""
    condition = Condition("virtual-machine", "bare metal, or a host that takes no time away")
    if context.virtual_machine is None:
        return condition.good("bare metal, as far as this system knows")
    path = roots.proc / "stat"
    words = (read_text(path) or "").split("\n", 1)[0].split()
    if words[:1] != ["cpu"] or len(words) <= _FIELDS:
        return condition.unknown(f"in a virtual machine ({context.virtual_machine}), and {path} tells no stolen time")
    ticks = [int(word) for word in words[1 : _FIELDS + 1]]
    stolen = ticks[-1] / max(1, sum(ticks))
    found = f"in a virtual machine ({context.virtual_machine}); stolen since boot: {stolen:.2%}"
    if stolen > STOLEN_SHARE:
        return condition.poor(
            found, "On the host: pin this guest's processors to cores of their own. Stolen time is marked by execution"
        )
    return condition.unknown(found)
