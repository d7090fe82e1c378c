"""Metrics of the machine during an execution: clocks that were set, temperature, throttling, the split of CPU time."""

from orchestrator.wire.metrics.registry import Metric

METRICS = (
    Metric("clock_set_ns", "ns", "CLOCK_REALTIME against CLOCK_MONOTONIC", "1 µs",
           "Change of the time of day during the execution, beyond the time that passed.", signed=True),
    Metric("suspended_ns", "ns", "CLOCK_BOOTTIME against CLOCK_MONOTONIC", "1 µs",
           "Time that the machine was suspended during the execution.", signed=True),
    Metric("temperature_before_celsius", "celsius", "the hottest zone", "of the zone",
           "Temperature before the execution.", kind="real", signed=True),
    Metric("temperature_after_celsius", "celsius", "the hottest zone", "of the zone",
           "Temperature after the execution.", kind="real", signed=True),
    Metric("throttled_bits", "1", "firmware get_throttled", "1 bit",
           "Bits 0 under-voltage, 1 frequency capped, 2 throttled, 3 soft temperature limit, before or after the "
           "execution; bits 16 to 19 the same, recorded by the firmware since the execution began."),
    Metric("user_system_split_resolution_ns", "ns", "CLOCK_MONOTONIC_COARSE's step where the kernel samples", "1 ns",
           "Resolution of the split of CPU time into user and system time; their sum is exact to 1 µs."),
    Metric("cpu_split_ticks", "1", "CPU time / user_system_split_resolution_ns", "1",
           "Samples from which the split of this execution was made; below 100 it is an indication only.",
           kind="real"),
)  # fmt: skip
