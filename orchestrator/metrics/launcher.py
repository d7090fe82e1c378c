"""Metrics of the launcher: both timestamps and the rusage of one runner process."""

from orchestrator.metrics.registry import Metric

METRICS = (
    Metric("process_wall_ns", "ns", "launcher: CLOCK_MONOTONIC around spawn and wait4", "1 ns",
           "Wall time from the spawn of the runner until it is reaped, reporting included.", column=True),
    Metric("process_user_ns", "ns", "wait4 rusage", "1 µs", "User time of the whole process."),
    Metric("process_system_ns", "ns", "wait4 rusage", "1 µs", "System time of the whole process."),
    Metric("launcher_max_rss_bytes", "bytes", "wait4 rusage ru_maxrss", "32 pages per core",
           "Largest resident size that the kernel recorded; a cross-check of peak_rss_bytes."),
)  # fmt: skip
