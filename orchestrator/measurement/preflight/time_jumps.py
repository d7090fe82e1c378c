"""Jumps of the wall clock: they falsify start times, but no durations, which come from CLOCK_MONOTONIC."""

from orchestrator.measurement.machine.marks import CLOCK_JUMP_NS
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import PreflightContext, Requirement
from orchestrator.wire.health import PreflightResult


def check(_roots: Roots, context: PreflightContext) -> PreflightResult:
    """Check whether a time service adjusts the clock, and whether the clock was set since the last check."""
    requirement = Requirement("time-jumps", "a clock synchronized by NTP or PTP, and no jump since the last check")
    clock, earlier = context.clock, context.earlier_clock
    if clock is None:
        return requirement.unknown("adjtimex(2) is not permitted here")
    rate = f"rate corrected by {clock.frequency_ppm:+.1f} ppm"
    if earlier is not None:
        jump_ns = clock.wall_minus_boot_ns - earlier.wall_minus_boot_ns
        if abs(jump_ns) > CLOCK_JUMP_NS:
            return requirement.poor(
                f"the clock was set {jump_ns / 1e9:+.1f} s since the last check",
                "Wait until the time service has settled: timedatectl timesync-status, or chronyc tracking",
            )
    if not clock.synchronized:
        return requirement.poor(f"not synchronized, {rate}", "sudo timedatectl set-ntp true")
    return requirement.good(f"synchronized, {rate}")
