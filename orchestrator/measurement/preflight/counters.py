"""Hardware counters: permission of a program to count its own cycles and instructions."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import KernelSetting, PreflightContext, Requirement, read_number
from orchestrator.wire.health import PreflightResult

MAX_PARANOID = 2
"""Level that allows own processes in user mode. Source: perf_event_open(2); Debian adds level 3, which allows none."""
_FILE = "sys/kernel/perf_event_paranoid"
TUNABLE_FILES = (f"proc/{_FILE}",)


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Check whether perf_event_paranoid allows counting."""
    requirement = Requirement("counters", f"perf_event_paranoid at most {MAX_PARANOID}", tunable=True)
    value = read_number(roots.proc / _FILE)
    if value is None:
        return requirement.no_file(roots.proc / _FILE)
    found = f"perf_event_paranoid is {value}"
    if value <= MAX_PARANOID:
        return requirement.good(found)
    return requirement.poor(found, f"ciphermark daemon tune, or: sudo sysctl kernel.perf_event_paranoid={MAX_PARANOID}")


def settings(roots: Roots, _context: PreflightContext) -> list[KernelSetting]:
    """Return the setting that allows counting; a kernel that allows more is left as it is."""
    value = read_number(roots.proc / _FILE)
    too_high = value is not None and value > MAX_PARANOID
    return [KernelSetting("counters", f"proc/{_FILE}", str(MAX_PARANOID))] if too_high else []
