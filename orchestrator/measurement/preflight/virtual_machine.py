"""Virtual machine: the host may take the processor away, and not every host reports it."""

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult

STOLEN_SHARE = 0.001
_FIELDS = 8
"""Fields of the line: user, nice, system, idle, iowait, irq, softirq, steal. Source: proc(5)."""


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Check how much time the host has taken since boot.

    A host that reports none may still take some, so the result is ``unknown`` then.
    """
    requirement = Requirement("virtual-machine", "bare metal, or a host that takes no processor time")
    if context.virtual_machine is None:
        return requirement.good("bare metal, as far as this system knows")
    path = roots.proc / "stat"
    words = (read_text(path) or "").split("\n", 1)[0].split()
    if words[:1] != ["cpu"] or len(words) <= _FIELDS:
        return requirement.unknown(f"in a virtual machine ({context.virtual_machine}), and {path} has no stolen time")
    ticks = [int(word) for word in words[1 : _FIELDS + 1]]
    stolen = ticks[-1] / max(1, sum(ticks))
    found = f"in a virtual machine ({context.virtual_machine}); stolen since boot: {stolen:.2%}"
    if stolen > STOLEN_SHARE:
        return requirement.poor(
            found, "On the host: pin this guest's processors to dedicated cores. Executions with stolen time are marked"
        )
    return requirement.unknown(found)
