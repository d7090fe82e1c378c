"""Steps of the wall clock: they put executions at wrong times. Durations are safe, they come from CLOCK_MONOTONIC."""

from orchestrator.measurement.hygiene.base import Condition, HygieneContext
from orchestrator.measurement.roots import Roots
from orchestrator.wire.health import HygieneFinding

STEP_NS = 100_000_000
"""Below this, the difference between two readings may be a preemption between them."""


def check(_roots: Roots, context: HygieneContext) -> HygieneFinding:
    """Look whether anybody keeps the clock, and whether it was stepped since the last check."""
    condition = Condition("time-steps", "a clock kept by NTP or PTP, and no step since the last check")
    clock, earlier = context.clock, context.earlier_clock
    if clock is None:
        return condition.unknown("adjtimex(2) is refused here")
    rate = f"its rate is corrected by {clock.frequency_ppm:+.1f} ppm"
    if earlier is not None:
        step_ns = clock.wall_minus_boot_ns - earlier.wall_minus_boot_ns
        if abs(step_ns) > STEP_NS:
            return condition.poor(
                f"the clock was set {step_ns / 1e9:+.1f} s since the last check",
                "Wait until the time service has settled: timedatectl timesync-status, or chronyc tracking",
            )
    if not clock.kept:
        return condition.poor(f"nobody keeps the clock, {rate}", "sudo timedatectl set-ntp true")
    return condition.good(f"kept, {rate}")
