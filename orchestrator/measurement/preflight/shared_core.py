"""Other daemons on the measured core: their runners take its time, as this daemon's take theirs."""

from orchestrator.measurement.machine.core_lock import lock_holders
from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Check whether a daemon of another data folder measures on the core, which ``up`` would refuse."""
    core = context.measured_core
    requirement = Requirement("shared-core", f"no second daemon measures on core {core}")
    path = roots.proc / "net/unix"
    sockets = read_text(path)
    if sockets is None:
        return requirement.no_file(path)
    others = [pid for pid in lock_holders(core, sockets) if pid not in (context.own_process, context.own_daemon)]
    if not others:
        return requirement.good(f"no second daemon on core {core}")
    return requirement.poor(
        f"core {core} is measured by another daemon ({', '.join(f'process {pid}' for pid in others)})",
        "Stop the other daemon, or give each its own core with CIPHERMARK_MEASURED_CORE.",
    )
