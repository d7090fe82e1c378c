"""Isolation of the measured core, for information: the kernel then gives it to nobody who does not ask for it."""

from orchestrator.measurement.machine.core_lists import read_core_list
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext
from orchestrator.wire.health import PreflightResult


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Look whether the measured core is isolated; that it is not is the usual case and not poor."""
    core = context.measured_core
    condition = Condition("isolated-core", f"either; isolcpus={core} on the kernel's command line keeps others off it")
    path = roots.cpu / "isolated"
    isolated = read_core_list(path)
    if isolated is None:
        return condition.no_file(path)
    return condition.good(f"core {core} is {'isolated' if core in isolated else 'not isolated'}")
