"""Other daemons on the measured core: their runners take its time, as this daemon's take theirs."""

from orchestrator.measurement.machine.core_lock import lock_holders
from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Check whether another daemon measures on the same core."""
    core = context.measured_core
    requirement = Requirement("shared-core", f"no other daemon measures on core {core}")
    path = roots.proc / "net/unix"
    sockets = read_text(path)
    if sockets is None:
        return requirement.no_file(path)
    others = [pid for pid in lock_holders(core, sockets) if pid != context.own_process]
    if not others:
        return requirement.good(f"no other daemon on core {core}")
    return requirement.poor(
        f"core {core} is measured by process {', '.join(map(str, others))}, too",
        "Stop the other daemon, or give each its own core with CIPHERMARK_MEASURED_CORE.",
    )
