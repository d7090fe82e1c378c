"""Metrics of the measured core: other processes, stolen time, frequency."""

from orchestrator.wire.metrics.registry import Metric

METRICS = (
    Metric("others_cpu_ns", "ns", "/proc/stat of the measured core, less the runner's own time", "1 tick (10 ms)",
           "Time that other processes or the kernel used on the measured core during the execution."),
    Metric("off_core_ns", "ns", "process_wall_ns, or behind a driver the phases, less user and system time", "1 µs",
           "Time that the runner was descheduled: preempted, or waiting."),
    Metric("stolen_ns", "ns", "/proc/stat steal of the measured core", "1 tick (10 ms)",
           "Time of the measured core that the hypervisor gave to other guests."),
    Metric("frequency_before_hz", "Hz", "cpufreq scaling_cur_freq", "1 kHz",
           "Clock of the measured core before the execution."),
    Metric("frequency_after_hz", "Hz", "cpufreq scaling_cur_freq", "1 kHz",
           "Clock of the measured core after the execution."),
)  # fmt: skip
