"""Frequency governor: one that follows the load slows down short work and speeds up long work."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import KernelSetting, PreflightContext, Requirement, present_value
from orchestrator.wire.health import PreflightResult

EXPECTED = "performance"
TUNABLE_FILES = (r"sys/devices/system/cpu/cpu\d+/cpufreq/scaling_governor",)


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Check the governor of the measured core."""
    requirement = Requirement("governor", EXPECTED, tunable=True)
    path = roots.cpu / f"cpu{context.measured_core}/cpufreq/scaling_governor"
    governor = present_value(path)
    if governor is None:
        return requirement.no_file(path)
    if governor == EXPECTED:
        return requirement.good(governor)
    return requirement.poor(
        governor, f"ciphermark daemon tune, or: echo {EXPECTED} | sudo tee {roots.cpu}/cpu*/cpufreq/scaling_governor"
    )


def settings(roots: Roots, _context: PreflightContext) -> list[KernelSetting]:
    """Return settings for the governor of every core: the monitor's core decides how soon a sample is taken."""
    files: dict[str, str] = {}
    for path in sorted(roots.cpu.glob("cpu[0-9]*/cpufreq/scaling_governor")):
        # Cores that share a clock have links to the same folder.
        files.setdefault(str(path.resolve()), str(path.relative_to(roots.sys)))
    return [KernelSetting("governor", f"sys/{file}", EXPECTED) for file in files.values()]
