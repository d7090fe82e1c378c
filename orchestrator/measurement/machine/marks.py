"""Every disturbance mark that an execution can carry, with its threshold: what interfered, as far as it can be seen.

A disturbed execution is kept and marked; who reads the results may leave it out. docs/measurement.md shows this list.
"""

from collections.abc import Mapping
from dataclasses import dataclass

OTHERS_TICKS = 2
"""One tick may be charged to the wrong process at either end; more than that was somebody else."""
OTHERS_SHARE = 0.05
OFF_CORE_NS = 500_000
OFF_CORE_SHARE = 0.02
"""Wall time less CPU time of a runner that does not wait by itself. On a quiet 2-core virtual machine (kernel 6.18,
2026-11) it was 0.06 to 0.22 ms for executions of 4 to 55 ms, kernel threads that came each 4 ms included; beside a busy
program half of the time. The count of involuntary switches tells these apart less well: 2 to 14, and 1 to 14."""
WAITS_FREE = 3
"""Voluntary switches; a program with more waits by itself, and only its involuntary ones tell of others."""
PREEMPTIONS_FREE = 2
PREEMPTIONS_PER_SECOND = 20
FREQUENCY_SHARE = 0.02
CLOCK_JUMP_NS = 50_000_000
"""A time service that slews moves CLOCK_MONOTONIC as well: what moves the clocks apart is a step or a sleep."""


@dataclass(frozen=True)
class Mark:
    """One thing that should not happen during an execution."""

    name: str
    threshold: str
    """From when on it is marked."""
    meaning: str


MAJOR_FAULT = Mark("major-fault", "1", "A page was read from a disk until work end.")
MIGRATED = Mark("migrated", "1 sample", "A sample found the runner on another core than the measured one.")
PREEMPTED = Mark(
    "preempted",
    f"an involuntary switch, and {OFF_CORE_SHARE * 100:g} % of the time and {OFF_CORE_NS / 1e6:g} ms off the core",
    "Something else was given the core while the runner wanted it. A program that waits by itself: more than "
    f"{PREEMPTIONS_FREE} + {PREEMPTIONS_PER_SECOND} involuntary switches per second.",
)
OTHERS_ON_CORE = Mark(
    "others-on-core",
    f"more than {OTHERS_TICKS} ticks and {OTHERS_SHARE * 100:g} % of the time",
    "Something else executed on the measured core, interrupts included.",
)
STOLEN = Mark("stolen", "1 tick", "The hypervisor gave the core's time to another machine (steal).")
FREQUENCY_DROPPED = Mark(
    "frequency-dropped",
    f"more than {FREQUENCY_SHARE * 100:g} %",
    "The core's clock was lower at the end: it was slowed down.",
)
FREQUENCY_ROSE = Mark(
    "frequency-rose",
    f"more than {FREQUENCY_SHARE * 100:g} %",
    "The core's clock was higher at the end: it began too slow.",
)
THROTTLED = Mark(
    "throttled",
    "1 bit",
    "The firmware held the processor back before or after, or has noted since that it did: under-voltage, capped "
    "frequency, throttling, soft temperature limit.",
)
TIME_JUMP = Mark(
    "time-jump",
    f"more than {CLOCK_JUMP_NS // 1_000_000} ms",
    "The time of day was set, or the machine slept, during the execution.",
)
HOT = Mark("hot", "the plan's temperature", "The wait for a cool device reached its bound.")
NOT_QUIET = Mark("not-quiet", "the plan's share", "The wait for a quiet core reached its bound.")

MARKS = (
    MAJOR_FAULT, MIGRATED, PREEMPTED, OTHERS_ON_CORE, STOLEN, FREQUENCY_DROPPED, FREQUENCY_ROSE, THROTTLED, TIME_JUMP,
    HOT, NOT_QUIET,
)  # fmt: skip


@dataclass(frozen=True)
class Disturbance:
    """The marks of one execution and the readings behind them."""

    marks: list[str]
    readings: Mapping[str, int | float | None]
    absent: Mapping[str, str]
    """Reading → why it is null."""


def joined(*parts: Disturbance) -> Disturbance:
    """Return what several sources found of one execution."""
    marks: list[str] = []
    readings: dict[str, int | float | None] = {}
    absent: dict[str, str] = {}
    for part in parts:
        marks.extend(mark for mark in part.marks if mark not in marks)
        readings |= part.readings
        absent |= part.absent
    return Disturbance(marks, readings, absent)
