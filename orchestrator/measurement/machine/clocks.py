"""Clock readings around an execution: detection of a set time of day and of a suspended machine."""

import time
from dataclasses import dataclass

from orchestrator.measurement.machine.marks import CLOCK_JUMP_NS, TIME_JUMP, Disturbance


@dataclass(frozen=True)
class ClockOffsets:
    """Differences of two clocks from CLOCK_MONOTONIC, in nanoseconds."""

    realtime_ns: int
    boottime_ns: int


def read_clocks() -> ClockOffsets:
    """Read the three clocks in succession; less than a microsecond passes between the readings."""
    monotonic_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    realtime_ns = time.clock_gettime_ns(time.CLOCK_REALTIME)
    boottime_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    return ClockOffsets(realtime_ns - monotonic_ns, boottime_ns - monotonic_ns)


def judge_clocks(before: ClockOffsets, after: ClockOffsets) -> Disturbance:
    """Return the disturbance that the clocks before and after an execution show."""
    set_ns = after.realtime_ns - before.realtime_ns
    # The time of day advances while the machine is suspended; the remaining difference comes from setting the clock.
    suspended_ns = after.boottime_ns - before.boottime_ns
    set_ns -= suspended_ns
    jumped = abs(set_ns) > CLOCK_JUMP_NS or suspended_ns > CLOCK_JUMP_NS
    readings = {"clock_set_ns": set_ns, "suspended_ns": suspended_ns}
    return Disturbance([TIME_JUMP.name] if jumped else [], readings, {})
