"""Address space layout: the bias of a random layout averages out over executions, that of a fixed one does not."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import PreflightContext, Requirement, read_number
from orchestrator.wire.health import PreflightResult

_MEANING = {0: "fixed for every process", 1: "random except for the heap", 2: "random"}


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Check whether the kernel randomizes the layout.

    Tuning does not change it, because it also protects the machine.
    """
    requirement = Requirement("address-layout", "random (randomize_va_space is 2)")
    path = roots.proc / "sys/kernel/randomize_va_space"
    value = read_number(path)
    if value is None:
        return requirement.no_file(path)
    found = f"{_MEANING.get(value, 'of an unknown kind')} (randomize_va_space is {value})"
    return requirement.good(found) if value == 2 else requirement.poor(found, "sudo sysctl kernel.randomize_va_space=2")
