"""The clock source: a clock behind a slow bus, or of coarse steps, is part of every short timing."""

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import Condition, PreflightContext
from orchestrator.wire.health import PreflightResult

_QUICK = ("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page")
"""Read in the process itself, in some ten nanoseconds."""
_SLOW = {
    "hpet": "each reading takes about a microsecond",
    "acpi_pm": "each reading takes about a microsecond, in steps of 0.28 µs",
    "xen": "each reading is a system call",
    "jiffies": "it counts whole ticks of the kernel",
    "refined-jiffies": "it counts whole ticks of the kernel",
    "timer": "it has steps of 1 µs, and each reading is a system call",
}
"""Name → what is wrong with it. ``timer`` is that of the first Raspberry Pi and the Zero (BCM2835)."""


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Look which clock the kernel reads.

    Tuning leaves it: a kernel that gave up its first choice had a reason (clocks of cores that drift apart).
    """
    condition = Condition("clock-source", "tsc or arch_sys_counter")
    folder = roots.sys / "devices/system/clocksource/clocksource0"
    source = read_text(folder / "current_clocksource")
    if source is None:
        return condition.no_file(folder / "current_clocksource")
    if source in _QUICK:
        return condition.good(source)
    others = (read_text(folder / "available_clocksource") or "").split()
    better = next((name for name in _QUICK if name in others), None)
    remedy = (
        f"Look into dmesg why the kernel left {better}; then: echo {better} | sudo tee {folder / 'current_clocksource'}"
        if better
        else "None on this hardware: prefer inputs that take milliseconds"
    )
    if source in _SLOW:
        return condition.poor(f"{source}: {_SLOW[source]}", remedy)
    return condition.unknown(f"{source}, of which we know nothing", remedy if better else "")
