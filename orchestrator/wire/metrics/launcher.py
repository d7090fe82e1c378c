"""Metrics of the launcher: both timestamps and the rusage of one runner process."""

from orchestrator.wire.metrics.registry import Metric

METRICS = (
    Metric("process_wall_ns", "ns", "launcher: CLOCK_MONOTONIC around spawn and wait4", "1 ns",
           "Wall time from the spawn of the runner until it is reaped, reporting included.", column=True),
    Metric("process_user_ns", "ns", "wait4 rusage", "1 µs", "User time of the whole process."),
    Metric("process_system_ns", "ns", "wait4 rusage", "1 µs", "System time of the whole process."),
    Metric("launcher_max_rss_bytes", "bytes", "wait4 rusage ru_maxrss",
           "31 pages per counter and core",
           "Largest resident size that the kernel recorded; a cross-check of peak_rss_bytes."),
    Metric("process_peak_rss_bytes", "bytes", "exit stop, curve, wait4 rusage", "process_peak_rss_error_bytes",
           "Peak memory of the whole process, reporting included, or of the largest child that it waited for."),
    Metric("process_peak_rss_error_bytes", "bytes", "kernel: batch of its page counters", "1 page",
           "Largest possible difference between process_peak_rss_bytes and the true peak."),
    Metric("exit_peak_rss_bytes", "bytes", "/proc/PID/status VmHWM at PTRACE_EVENT_EXIT",
           "31 pages per counter and core",
           "High-water mark of the process itself right before its memory was released."),
    Metric("exit_rss_bytes", "bytes", "/proc/PID/status VmRSS or smaps_rollup at PTRACE_EVENT_EXIT", "1 page",
           "Resident size of the process itself right before its memory was released."),
    Metric("exit_stop_ns", "ns", "launcher: CLOCK_MONOTONIC", "1 ns",
           "Duration of the stop for the readings at the exit; process_wall_ns excludes it."),
)  # fmt: skip
