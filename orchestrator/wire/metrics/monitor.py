"""Metrics of the monitor: the curve from /proc, the samples of psutil, and those of a shell that starts a runner."""

from orchestrator.wire.metrics.registry import RESIDENT_SIZE, Metric

METRICS = (
    Metric("sampling_interval_ns", "ns", "monitor", "1 ns", "Intended interval of the curve's samples."),
    Metric("samples", "1", "monitor", "1", "Samples of the curve."),
    Metric("curve_peak_rss_bytes", "bytes", "/proc/PID/statm", RESIDENT_SIZE,
           "Largest resident size among the samples; peaks between two samples are missed."),
    Metric("psutil_samples", "1", "psutil", "1", "Samples taken by psutil."),
    Metric("psutil_peak_rss_bytes", "bytes", "psutil memory_info", RESIDENT_SIZE,
           "Largest resident size in psutil's samples; a cross-check of the curve."),
    Metric("psutil_cpu_ns", "ns", "psutil cpu_times", "1 tick", "User and system time at psutil's last sample."),
    Metric("migrations", "1", "/proc/PID/stat", "one per sample",
           "Samples that found the runner on a core other than the measured one."),
    Metric("shell_mean_rss_bytes", "bytes", "psutil memory_info of the shell; see provenance", RESIDENT_SIZE,
           "Mean resident size of the shell's process over all samples, one every 100 ms; not that of the runner.",
           kind="real"),
    Metric("shell_samples", "1", "psutil", "1", "Samples of the shell's process."),
)  # fmt: skip
