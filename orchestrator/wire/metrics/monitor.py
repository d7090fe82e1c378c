"""Metrics of the monitor: the curve from /proc and the samples of psutil."""

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
)  # fmt: skip
