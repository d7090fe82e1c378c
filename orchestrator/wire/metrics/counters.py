"""Metrics of hardware and kernel counters around the phases of ``process`` and the timings of ``latency``."""

from orchestrator.wire.metrics.registry import Metric
from orchestrator.wire.runners import FURTHER_COUNTERS

_PROCESSOR = "perf_event_open, user mode"
_KERNEL = "perf_event_open, counted by the kernel"
_HELP = {
    "cycles": ("1", _PROCESSOR, "Core cycles of {}."),
    "instructions": ("1", _PROCESSOR, "Instructions of {}."),
    "branch_misses": ("1", _PROCESSOR, "Mispredicted branches of {}."),
    "cache_misses": ("1", _PROCESSOR, "Cache misses of {}; the processor defines the level, usually the last."),
    "task_clock_ns": ("ns", _KERNEL, "Time that {} spent on a core."),
    "page_faults": ("1", f"{_KERNEL}, user mode", "Page faults of {}."),
    "context_switches": ("1", _KERNEL, "Context switches of {}."),
    "cpu_migrations": ("1", _KERNEL, "Migrations of {} to another core."),
}  # fmt: skip

PHASE_COUNTERS = tuple(_HELP)
"""Counters of a phase, by the end of their metrics' names."""


def counter(prefix: str, name: str, title: str) -> Metric:
    """Return the metric of a counter; prefix: of its name."""
    unit, source, text = _HELP[name]
    return Metric(f"{prefix}_{name}", unit, source, "1" if unit == "1" else "1 ns", text.format(title))


METRICS = (
    Metric("clock_probe_wall_ns", "ns", "runner: CLOCK_MONOTONIC", "1 ns",
           "Wall time of measuring the core's clock before the counted phases; part of work_wall_ns."),
    *(counter("timed", name, "all timings together") for name in FURTHER_COUNTERS),
)  # fmt: skip
