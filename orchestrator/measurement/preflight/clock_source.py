"""Clock source: a slow or coarse clock distorts every short timing."""

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult

_QUICK = ("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page")
"""Sources that are read within the process, in some ten nanoseconds."""
_SLOW = {
    "hpet": "each reading takes about a microsecond",
    "acpi_pm": "each reading takes about a microsecond, in steps of 0.28 µs",
    "xen": "each reading is a system call",
    "jiffies": "it counts whole kernel ticks",
    "refined-jiffies": "it counts whole kernel ticks",
    "timer": "it has steps of 1 µs, and each reading is a system call",
}
"""Name → drawback. ``timer`` is the source of the first Raspberry Pi and the Zero (BCM2835)."""


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Check which clock source the kernel uses.

    Tuning does not change it: the kernel had a reason to give up a better source (clocks of cores that drift apart).
    """
    requirement = Requirement("clock-source", "tsc or arch_sys_counter")
    folder = roots.sys / "devices/system/clocksource/clocksource0"
    source = read_text(folder / "current_clocksource")
    if source is None:
        return requirement.no_file(folder / "current_clocksource")
    if source in _QUICK:
        return requirement.good(source)
    others = (read_text(folder / "available_clocksource") or "").split()
    better = next((name for name in _QUICK if name in others), None)
    remedy = (
        f"See in dmesg why the kernel gave up {better}; then: echo {better} | sudo tee {folder / 'current_clocksource'}"
        if better
        else "None on this hardware: prefer inputs that take milliseconds"
    )
    if source in _SLOW:
        return requirement.poor(f"{source}: {_SLOW[source]}", remedy)
    return requirement.unknown(f"{source}, whose properties are unknown", remedy if better else "")
