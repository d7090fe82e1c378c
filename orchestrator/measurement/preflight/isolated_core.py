"""Isolation of the measured core, for information: on an isolated core only pinned processes execute."""

from orchestrator.measurement.machine.core_lists import read_core_list
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Check whether the measured core is isolated; both cases are good."""
    core = context.measured_core
    requirement = Requirement(
        "isolated-core", f"either; isolcpus={core} on the kernel's command line keeps other processes off it"
    )
    path = roots.cpu / "isolated"
    isolated = read_core_list(path)
    if isolated is None:
        return requirement.no_file(path)
    return requirement.good(f"core {core} is {'isolated' if core in isolated else 'not isolated'}")
