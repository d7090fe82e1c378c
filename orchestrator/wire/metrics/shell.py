"""Metrics of the shell that starts a runner, watched by polling next to the runner's own readings."""

from orchestrator.wire.metrics.registry import RESIDENT_SIZE, Metric

METRICS = (
    Metric("shell_mean_rss_bytes", "bytes", "psutil memory_info of the shell; see provenance", RESIDENT_SIZE,
           "Mean resident size of the shell's process over all samples, one every 100 ms; not that of the runner.",
           kind="real"),
    Metric("shell_samples", "1", "psutil", "1", "Samples of the shell's process."),
)  # fmt: skip
