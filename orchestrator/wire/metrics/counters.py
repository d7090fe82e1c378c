"""Metrics of hardware and kernel counters around the cipher phases of ``process`` and the timings of ``latency``."""

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
_DERIVED = "wall time or task clock of the phase, the shorter one, × core_clock_hz"

COUNTERS = tuple(_HELP)
"""Counters of a cipher phase, by the end of their metrics' names."""
CIPHER_PHASES = {"encrypt": "the encryption", "decrypt": "the decryption"}
"""Phases that have counters, with their titles."""


def _counter(prefix: str, name: str, title: str) -> Metric:
    unit, source, text = _HELP[name]
    return Metric(f"{prefix}_{name}", unit, source, "1" if unit == "1" else "1 ns", text.format(title))


METRICS = (
    *(_counter(phase, name, title) for name in _HELP for phase, title in CIPHER_PHASES.items()),
    *(
        Metric(f"derived_{phase}_cycles", "1", _DERIVED, "core_clock_hz",
               f"Core cycles of {title}, derived from time and clock.", kind="real")
        for phase, title in CIPHER_PHASES.items()
    ),
    Metric("clock_probe_wall_ns", "ns", "runner: CLOCK_MONOTONIC", "1 ns",
           "Wall time of measuring the core's clock before encryption; part of work_wall_ns."),
    *(_counter("timed", name, "all timings together") for name in FURTHER_COUNTERS),
)  # fmt: skip
