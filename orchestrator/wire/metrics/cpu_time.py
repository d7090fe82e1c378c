"""Metrics of the kernel's split of CPU time into user and system time."""

from orchestrator.wire.metrics.registry import Metric

METRICS = (
    Metric("user_system_split_resolution_ns", "ns", "CLOCK_MONOTONIC_COARSE's step where the kernel samples", "1 ns",
           "Resolution of the split of CPU time into user and system time; their sum is exact to 1 µs."),
    Metric("cpu_split_ticks", "1", "CPU time / user_system_split_resolution_ns", "1",
           "Samples from which the split of this execution was made; below 100 it is an indication only.",
           kind="real"),
)  # fmt: skip
