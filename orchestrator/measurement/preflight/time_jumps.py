"""Jumps of the wall clock: they put executions at wrong times. Durations are safe, they come from CLOCK_MONOTONIC."""

from orchestrator.measurement.machine.marks import CLOCK_JUMP_NS
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext
from orchestrator.wire.health import PreflightResult


def check(_roots: Roots, context: PreflightContext) -> PreflightResult:
    """Look whether anybody keeps the clock, and whether it was set since the last check."""
    condition = Condition("time-jumps", "a clock kept by NTP or PTP, and no jump since the last check")
    clock, earlier = context.clock, context.earlier_clock
    if clock is None:
        return condition.unknown("adjtimex(2) is refused here")
    rate = f"its rate is corrected by {clock.frequency_ppm:+.1f} ppm"
    if earlier is not None:
        jump_ns = clock.wall_minus_boot_ns - earlier.wall_minus_boot_ns
        if abs(jump_ns) > CLOCK_JUMP_NS:
            return condition.poor(
                f"the clock was set {jump_ns / 1e9:+.1f} s since the last check",
                "Wait until the time service has settled: timedatectl timesync-status, or chronyc tracking",
            )
    if not clock.kept:
        return condition.poor(f"nobody keeps the clock, {rate}", "sudo timedatectl set-ntp true")
    return condition.good(f"kept, {rate}")
