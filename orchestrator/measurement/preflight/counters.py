"""Whether the kernel lets a program count its own cycles and instructions."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext, Setting, read_number
from orchestrator.wire.health import PreflightResult

HIGHEST = 2
"""Own processes, user mode only. Source: perf_event_open(2); Debian knows a 3 that forbids it altogether."""
_FILE = "sys/kernel/perf_event_paranoid"
TUNABLE_FILES = (f"proc/{_FILE}",)


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Look what perf_event_paranoid allows."""
    condition = Condition("counters", f"perf_event_paranoid at most {HIGHEST}", tunable=True)
    value = read_number(roots.proc / _FILE)
    if value is None:
        return condition.no_file(roots.proc / _FILE)
    found = f"perf_event_paranoid is {value}"
    if value <= HIGHEST:
        return condition.good(found)
    return condition.poor(found, f"ciphermark daemon tune, or: sudo sysctl kernel.perf_event_paranoid={HIGHEST}")


def settings(roots: Roots, _context: PreflightContext) -> list[Setting]:
    """Allow it where it is forbidden; who allows more keeps that."""
    value = read_number(roots.proc / _FILE)
    too_high = value is not None and value > HIGHEST
    return [Setting("counters", f"proc/{_FILE}", str(HIGHEST))] if too_high else []
