"""Layout of the address space: random, its bias averages out over executions; fixed, it is part of the result."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext, read_number
from orchestrator.wire.health import PreflightResult

_MEANING = {0: "fixed for every process", 1: "random, but not the heap", 2: "random"}


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Look whether the kernel places programs at random. Tuning leaves it: it is also a protection of the machine."""
    condition = Condition("address-layout", "random (randomize_va_space is 2)")
    path = roots.proc / "sys/kernel/randomize_va_space"
    value = read_number(path)
    if value is None:
        return condition.no_file(path)
    found = f"{_MEANING.get(value, 'of an unknown kind')} (randomize_va_space is {value})"
    return condition.good(found) if value == 2 else condition.poor(found, "sudo sysctl kernel.randomize_va_space=2")
