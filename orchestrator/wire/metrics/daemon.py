"""Metrics that the daemon itself provides: the wait before an execution, the runner's environment."""

from orchestrator.wire.metrics.registry import Metric

METRICS = (
    Metric("waited_ns", "ns", "daemon: CLOCK_MONOTONIC", "1 ns",
           "Wait for a cool and quiet machine before the execution."),
    Metric("environment_padding_bytes", "bytes", "daemon", "1 byte",
           "Random bytes added to the runner's environment in this execution."),
)  # fmt: skip
