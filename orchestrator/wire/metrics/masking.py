"""Metrics of masked implementations: the random bytes of the timed work, and the time that drawing them takes."""

from orchestrator.wire.metrics.registry import Metric

METRICS = (
    Metric("random_bytes", "bytes", "runner: bytes that gadgets and sharings took from the generator", "1 byte",
           "Random bytes that masking consumed: of both directions under the process protocol, of one call under "
           "the latency protocol. Unmasked implementations lack it."),
    Metric("random_wall_ns", "ns", "runner: CLOCK_MONOTONIC around the generator alone, after the timed work",
           "clock_resolution_ns",
           "Wall time in which the generator alone draws random_bytes; part of no timing.", kind="real"),
)  # fmt: skip
