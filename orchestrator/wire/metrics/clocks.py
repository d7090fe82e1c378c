"""Metrics of the kernel's clocks: steps of the time of day, suspension of the machine."""

from orchestrator.wire.metrics.registry import Metric

METRICS = (
    Metric("clock_set_ns", "ns", "CLOCK_REALTIME against CLOCK_MONOTONIC", "1 µs",
           "Change of the time of day during the execution, beyond the time that passed.", signed=True),
    Metric("suspended_ns", "ns", "CLOCK_BOOTTIME against CLOCK_MONOTONIC", "1 µs",
           "Time that the machine was suspended during the execution.", signed=True),
)  # fmt: skip
