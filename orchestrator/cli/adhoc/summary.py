"""Summary of the timed executions of one program. Works without numpy."""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orchestrator.cli.adhoc.series import ProgramExecution
from orchestrator.statistics.median import (
    ConfidenceInterval,
    median,
    median_absolute_deviation,
    relative_interval,
    summarize,
)
from orchestrator.statistics.outliers import outliers


@dataclass(frozen=True)
class Summary:
    """Statistics of one program's executions; times in nanoseconds, memory in bytes."""

    executions: int
    wall_median_ns: float
    wall_interval_ns: ConfidenceInterval | None
    """95 % interval of the median; None below 6 executions."""
    relative_interval: float | None
    """Half of the interval's width as a share of the median."""
    wall_median_absolute_deviation_ns: float
    wall_mean_ns: float
    wall_standard_deviation_ns: float | None
    """Sample standard deviation (n - 1); None for one execution."""
    wall_min_ns: int
    wall_max_ns: int
    user_median_ns: float
    user_mean_ns: float
    system_median_ns: float
    system_mean_ns: float
    cpu_split_ticks_median: float | None
    """Samples behind the split of user and system time in one execution; None if the kernel does not sample."""
    cpu_share: float
    """User and system time of all executions / their wall time: 1 is one busy core."""
    peak_rss_median_bytes: float
    """Peak of the largest process of each execution."""
    peak_rss_max_bytes: int
    peak_rss_error_bytes: int | None
    """Largest error bound of the executions' peaks; None if the kernel's error has no bound."""
    cgroup_peak_median_bytes: float | None
    """Peak of all processes of an execution together; None if the kernel does not count it."""
    max_threads: int | None
    """Maximum among the samples; None without samples."""
    outliers: tuple[bool, ...]
    """Marks by execution; outliers are included in all other values."""
    disturbed: int
    """Executions with a disturbance mark, which are also included."""
    marks: dict[str, int]
    """Disturbance mark → number of executions."""
    failures: int
    """Executions that ended with an exit code other than 0, if failures are ignored."""


def summarize_executions(executions: Sequence[ProgramExecution]) -> Summary:
    """Return the summary of the timed executions of one program, at least one."""
    walls_ns = [one.wall_ns for one in executions]
    user_ns, system_ns = readings(executions, "process_user_ns"), readings(executions, "process_system_ns")
    ticks = readings(executions, "cpu_split_ticks")
    peaks, groups = readings(executions, "peak_rss_bytes"), readings(executions, "cgroup_peak_bytes")
    errors = readings(executions, "peak_rss_error_bytes")
    marks = [one.measurement.marks for one in executions]
    found = summarize(walls_ns)
    return Summary(
        executions=len(executions),
        wall_median_ns=median(walls_ns),
        wall_interval_ns=found.interval if found else None,
        relative_interval=relative_interval(found),
        wall_median_absolute_deviation_ns=median_absolute_deviation(walls_ns),
        wall_mean_ns=statistics.fmean(walls_ns),
        wall_standard_deviation_ns=statistics.stdev(walls_ns) if len(walls_ns) > 1 else None,
        wall_min_ns=min(walls_ns),
        wall_max_ns=max(walls_ns),
        user_median_ns=median(user_ns),
        user_mean_ns=statistics.fmean(user_ns),
        system_median_ns=median(system_ns),
        system_mean_ns=statistics.fmean(system_ns),
        cpu_split_ticks_median=median(ticks) if ticks else None,
        cpu_share=math.fsum([*user_ns, *system_ns]) / math.fsum(walls_ns),
        peak_rss_median_bytes=median(peaks),
        peak_rss_max_bytes=int(max(peaks)),
        peak_rss_error_bytes=int(max(errors)) if len(errors) == len(executions) else None,
        cgroup_peak_median_bytes=median(groups) if groups else None,
        max_threads=_maximum(executions, lambda one: one.measurement.curve.threads if one.measurement.curve else []),
        outliers=tuple(outliers(walls_ns)),
        disturbed=sum(map(bool, marks)),
        marks=dict(Counter(mark for carried in marks for mark in carried).most_common()),
        failures=sum(one.measurement.failure is not None for one in executions),
    )


def readings(executions: Sequence[ProgramExecution], name: str) -> list[int | float]:
    """Return a reading of each execution that has it."""
    values = (one.measurement.readings.get(name) for one in executions)
    return [value for value in values if value is not None]


def _maximum(executions: Sequence[ProgramExecution], seen: Callable[[ProgramExecution], Sequence[int]]) -> int | None:
    return max((count for one in executions for count in seen(one)), default=None)
