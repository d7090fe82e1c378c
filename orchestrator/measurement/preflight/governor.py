"""The frequency governor: one that follows the load makes short work slow and long work fast."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext, Setting, present_value
from orchestrator.wire.health import PreflightResult

WANTED = "performance"
TUNABLE_FILES = (r"sys/devices/system/cpu/cpu\d+/cpufreq/scaling_governor",)


def check(roots: Roots, context: PreflightContext) -> PreflightResult:
    """Look at the governor of the measured core."""
    condition = Condition("governor", WANTED, tunable=True)
    path = roots.cpu / f"cpu{context.measured_core}/cpufreq/scaling_governor"
    governor = present_value(path)
    if governor is None:
        return condition.no_file(path)
    if governor == WANTED:
        return condition.good(governor)
    return condition.poor(
        governor, f"ciphermark daemon tune, or: echo {WANTED} | sudo tee {roots.cpu}/cpu*/cpufreq/scaling_governor"
    )


def settings(roots: Roots, _context: PreflightContext) -> list[Setting]:
    """Set the governor of every core: the sampler's core decides how soon a reading is taken."""
    files: dict[str, str] = {}
    for path in sorted(roots.cpu.glob("cpu[0-9]*/cpufreq/scaling_governor")):
        # Cores that share a clock share one folder behind their links.
        files.setdefault(str(path.resolve()), str(path.relative_to(roots.sys)))
    return [Setting("governor", f"sys/{file}", WANTED) for file in files.values()]
