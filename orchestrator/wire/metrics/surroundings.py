"""Metrics of the machine around an execution: temperature and throttling."""

from orchestrator.wire.metrics.registry import Metric

METRICS = (
    Metric("temperature_before_celsius", "celsius", "the hottest zone", "of the zone",
           "Temperature before the execution.", kind="real", signed=True),
    Metric("temperature_after_celsius", "celsius", "the hottest zone", "of the zone",
           "Temperature after the execution.", kind="real", signed=True),
    Metric("throttled_bits", "1", "firmware get_throttled", "1 bit",
           "Bits 0 under-voltage, 1 frequency capped, 2 throttled, 3 soft temperature limit, before or after the "
           "execution; bits 16 to 19 the same, recorded by the firmware since the execution began."),
)  # fmt: skip
