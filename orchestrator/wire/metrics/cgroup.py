"""Metrics of the runner's control group, and how far the sources of peak memory differ."""

from orchestrator.wire.metrics.registry import Metric

METRICS = (
    Metric("cgroup_peak_bytes", "bytes", "cgroup: memory.max_usage_in_bytes (v1), memory.peak (v2)",
           "64 pages per core: the kernel charges in batches",
           "Peak memory charged to the runner's control group, less the charge before the execution."),
    Metric("cgroup_peak_disagreement_bytes", "bytes", "cgroup_peak_bytes - peak_rss_bytes", "64 pages per core",
           "Charged less resident memory: page tables and caches raise it, file pages that another process read first "
           "lower it.", signed=True),
    Metric("launcher_peak_disagreement_bytes", "bytes", "launcher_max_rss_bytes - peak_rss_bytes",
           "31 pages per counter and core",
           "Memory that reporting and exit added to the peak of the work; negative if the kernel's batches lag.",
           signed=True),
)  # fmt: skip
