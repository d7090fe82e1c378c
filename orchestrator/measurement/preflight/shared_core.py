"""Other daemons on the measured core: their runners take its time, as this daemon's take theirs."""

from orchestrator.measurement.machine.core_lock import lock_holders
from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Check whether several daemons measure on the core; the process that checks need not be one of them."""
    core = context.measured_core
    requirement = Requirement("shared-core", f"no second daemon measures on core {core}")
    path = roots.proc / "net/unix"
    sockets = read_text(path)
    if sockets is None:
        return requirement.no_file(path)
    daemons = lock_holders(core, sockets)
    if len(daemons) < 2:
        return requirement.good(f"no second daemon on core {core}")
    return requirement.poor(
        f"core {core} is measured by the processes {', '.join(map(str, daemons))}",
        "Stop the other daemon, or give each its own core with CIPHERMARK_MEASURED_CORE.",
    )
