"""Disturbance marks of an execution, with their thresholds.

A disturbed execution is kept and marked, and readers of the results can exclude it. docs/measurement.md lists the
marks.
"""

from collections.abc import Mapping
from dataclasses import dataclass

OTHERS_TICKS = 2
"""Ticks of other processes that are tolerated: one at either end may be charged to the wrong process."""
OTHERS_SHARE = 0.05
DESCHEDULED_NS = 500_000
DESCHEDULED_SHARE = 0.02
"""Limits of wall time less CPU time for a runner that does not wait by itself.

On a quiet 2-core virtual machine (kernel 6.18, 2026-11) the difference was 0.06 to 0.22 ms for executions of 4 to
55 ms, including kernel threads every 4 ms; next to a busy program it was half of the time. The count of involuntary
switches distinguishes these cases less well: 2 to 14, and 1 to 14.
"""
MAX_FREE_WAITS = 1
"""Voluntary switches up to which a program counts as not waiting by itself: that of its start. Above it, only
involuntary switches show interference."""
FREE_PREEMPTIONS = 2
PREEMPTIONS_PER_SECOND = 20
FREQUENCY_SHARE = 0.02
CLOCK_JUMP_NS = 50_000_000
"""Minimum distance between the clocks. A time service that slews moves CLOCK_MONOTONIC as well, so that only a step or
a suspension separates the clocks."""


@dataclass(frozen=True)
class Mark:
    """Kind of interference with an execution."""

    name: str
    threshold: str
    """Value from which an execution is marked."""
    meaning: str


MAJOR_FAULT = Mark("major-fault", "1", "A page was read from a disk until work end.")
MIGRATED = Mark("migrated", "1 sample", "A sample found the runner on a core other than the measured one.")
PREEMPTED = Mark(
    "preempted",
    f"an involuntary switch; descheduled for {DESCHEDULED_SHARE * 100:g} % of the time and {DESCHEDULED_NS / 1e6:g} ms",
    "The kernel gave the core to another process while the runner was ready. For a program that waits by itself: more "
    f"than {FREE_PREEMPTIONS} + {PREEMPTIONS_PER_SECOND} involuntary switches per second.",
)
OTHERS_ON_CORE = Mark(
    "others-on-core",
    f"more than {OTHERS_TICKS} ticks and {OTHERS_SHARE * 100:g} % of the time",
    "Another process or an interrupt executed on the measured core.",
)
STOLEN = Mark("stolen", "1 tick", "The hypervisor gave time of the core to another guest (steal).")
FREQUENCY_DROPPED = Mark(
    "frequency-dropped",
    f"more than {FREQUENCY_SHARE * 100:g} %",
    "The core's clock was lower at the end: the core was slowed down.",
)
FREQUENCY_ROSE = Mark(
    "frequency-rose",
    f"more than {FREQUENCY_SHARE * 100:g} %",
    "The core's clock was higher at the end: the execution began below full speed.",
)
THROTTLED = Mark(
    "throttled",
    "1 bit",
    "The firmware limited the processor before, during or after the execution: under-voltage, capped frequency, "
    "throttling, soft temperature limit.",
)
TIME_JUMP = Mark(
    "time-jump",
    f"more than {CLOCK_JUMP_NS // 1_000_000} ms",
    "The time of day was set or the machine was suspended during the execution.",
)
HOT = Mark("hot", "the plan's temperature", "The wait for a cool device reached its limit.")
NOT_QUIET = Mark("not-quiet", "the plan's share", "The wait for a quiet core reached its limit.")
GARBAGE_COLLECTION = Mark(
    "garbage-collection", "1", "The language's memory management collected during the phases or a timing."
)


@dataclass(frozen=True)
class Disturbance:
    """Marks of one execution, and the readings that led to them."""

    marks: list[str]
    readings: Mapping[str, int | float | None]
    absent: Mapping[str, str]
    """Reading → why it is null."""


def joined(*parts: Disturbance) -> Disturbance:
    """Return the disturbances that several sources found in one execution as one."""
    marks: list[str] = []
    readings: dict[str, int | float | None] = {}
    absent: dict[str, str] = {}
    for part in parts:
        marks.extend(mark for mark in part.marks if mark not in marks)
        readings |= part.readings
        absent |= part.absent
    return Disturbance(marks, readings, absent)
