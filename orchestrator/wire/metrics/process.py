"""Metrics of the runner's ``process`` report: the work as a whole."""

from orchestrator.wire.metrics.registry import RESIDENT_SIZE, STAMPS, Metric

_RUSAGE = "runner: getrusage at phase ends"
_IO = "runner: /proc/self/io at work end"

METRICS = (
    Metric("work_wall_ns", "ns", "launcher's spawn, or driver's execve, to the last stamp", "1 ns",
           "Wall time from the spawn to the end of the last phase: the headline figure.", column=True),
    Metric("work_cpu_ns", "ns", _RUSAGE, "1 µs", "User and system time until work end.", column=True),
    Metric("peak_rss_bytes", "bytes", "runner: VmHWM at work end, or after the last timing", "peak_rss_error_bytes",
           "Largest resident size until work end, or until the last timing.", column=True),
    Metric("input_bytes", "bytes", "runner", "1 byte", "Length of the input as read.", column=True),
    Metric("start_wall_ns", "ns", "launcher's spawn, or driver's execve, to the runner's main", "1 ns",
           "Wall time of loading and linking the program."),
    Metric("load_wall_ns", "ns", STAMPS, "1 ns",
           "Wall time of allocating and touching the buffers and of reading the file."),
    Metric("reporting_wall_ns", "ns", "runner's last stamp to the launcher's wait4", "1 ns",
           "Wall time of comparison, digest, report and exit; counted in process_wall_ns only."),
    Metric("work_user_ns", "ns", _RUSAGE, "1 µs", "User time until work end."),
    Metric("work_system_ns", "ns", _RUSAGE, "1 µs", "System time until work end."),
    Metric("work_minor_faults", "1", _RUSAGE, "1", "Page faults without disk access until work end."),
    Metric("work_major_faults", "1", _RUSAGE, "1", "Page faults that read a disk until work end."),
    Metric("work_voluntary_switches", "1", _RUSAGE, "1", "Times that the runner waited until work end."),
    Metric("work_involuntary_switches", "1", _RUSAGE, "1", "Times that the runner was preempted until work end."),
    Metric("peak_rss_error_bytes", "bytes", "kernel: batch of its page counters", "1 page",
           "Largest possible difference between peak_rss_bytes and the true peak."),
    Metric("baseline_rss_bytes", "bytes", "runner: resident size at main", RESIDENT_SIZE,
           "Resident size of the program and its libraries when main begins."),
    Metric("buffers_bytes", "bytes", "runner", "1 byte",
           "Size of the buffers for input and outputs, of a cipher for input, ciphertext and plaintext."),
    Metric("rest_rss_bytes", "bytes", "peak_rss_bytes - baseline_rss_bytes - buffers_bytes",
           "peak_rss_error_bytes, and that of baseline_rss_bytes",
           "Memory that the cipher itself needed: tables, state and allocations of the library."),
    Metric("padded_bytes", "bytes", "runner", "1 byte", "Length of the input after zero padding to whole blocks."),
    Metric("output_bytes", "bytes", "runner", "1 byte", "Length of the output, of a cipher with its tag."),
    Metric("driver_cpu_ns", "ns", "runner: CLOCK_PROCESS_CPUTIME_ID of the driver", "1 ns",
           "CPU time of the driver of a program in another language; no time of the program."),
    Metric("between_phases_wall_ns", "ns", "work_wall_ns less its phases", "1 ns",
           "Wall time between the phases (parsing arguments, readings, counters, clock probe); part of work_wall_ns."),
    Metric("work_read_bytes", "bytes", _IO, "1 byte",
           "Bytes that calls read until work end, from cache or disk, less those of the runner's own readings."),
    Metric("work_written_bytes", "bytes", _IO, "1 byte", "Bytes that calls wrote until work end, to cache or disk."),
    Metric("work_storage_read_bytes", "bytes", _IO, "1 page", "Bytes that were read from a disk until work end."),
    Metric("work_storage_written_bytes", "bytes", _IO, "1 page", "Bytes that were sent to a disk until work end."),
)  # fmt: skip
