"""Metrics of each phase of ``process``: memory, page faults, CPU time, context switches."""

from typing import NamedTuple

from orchestrator.wire.metrics.registry import RESIDENT_SIZE, Metric

_RUSAGE = "runner: getrusage right before and after the phase"
_STATUS = "runner: VmRSS right after the phase"
_SPLIT = "user_system_split_resolution_ns"
_TITLES = {
    "start": "the start of the program",
    "load": "loading",
    "key_setup": "key setup",
    "encrypt": "encryption",
    "decrypt": "decryption",
}


class PhaseUsage(NamedTuple):
    """One resource that the kernel counts for a process."""

    field: str
    """Field of the runner's report."""
    factor: int
    """Factor from the report's unit to the metric's."""
    unit: str
    resolution: str
    help: str


USAGES = {
    "minor_faults": PhaseUsage("minor_faults", 1, "1", "1", "Page faults without disk access during {}."),
    "major_faults": PhaseUsage("major_faults", 1, "1", "1", "Page faults that read a disk during {}."),
    "user_ns": PhaseUsage("user_us", 1000, "ns", _SPLIT, "User time of {}."),
    "system_ns": PhaseUsage("system_us", 1000, "ns", _SPLIT, "System time of {}."),
    "voluntary_switches": PhaseUsage("voluntary_switches", 1, "1", "1", "Times that the runner waited during {}."),
    "involuntary_switches": PhaseUsage(
        "involuntary_switches", 1, "1", "1", "Times that the runner was preempted during {}."
    ),
}
"""Resources by the end of their metrics' names."""

METRICS = tuple(
    metric
    for phase, title in _TITLES.items()
    for metric in (
        Metric(f"{phase}_rss_bytes", "bytes", _STATUS, RESIDENT_SIZE, f"Resident size after {title}."),
        *(
            Metric(f"{phase}_{name}", usage.unit, _RUSAGE, usage.resolution, usage.help.format(title))
            for name, usage in USAGES.items()
        ),
    )
)
