"""Metrics of the runner's ``latency`` report: calls timed inside one process."""

from orchestrator.wire.metrics.registry import Metric

_CLOCK = "runner: CLOCK_MONOTONIC around all calls of a timing"
_CPU_CLOCK = "runner: CLOCK_PROCESS_CPUTIME_ID around all calls of a timing"
_COUNTERS = "perf_event_open, user mode, around all calls of a timing"
_FIRST = "runner: clocks around one call"

METRICS = (
    Metric("call_wall_ns", "ns", _CLOCK, "clock_resolution_ns / iterations",
           "Wall time of one warm call: the median over the timings of elapsed time / iterations.", kind="real",
           column=True),
    Metric("call_cpu_ns", "ns", _CPU_CLOCK, "1 ns / iterations",
           "CPU time of one warm call: the median over the timings of CPU time / iterations.", kind="real",
           column=True),
    Metric("iterations", "1", "runner", "1", "Calls or messages of one timing; the minimum if timings differ."),
    Metric("timed_calls", "1", "runner", "1", "Calls, or messages of batches, of all timings together."),
    Metric("timed_wall_ns", "ns", _CLOCK, "clock_resolution_ns", "Wall time of all timings together."),
    Metric("timed_cpu_ns", "ns", _CPU_CLOCK, "1 ns", "CPU time of all timings together."),
    Metric("cold_call_wall_ns", "ns", _FIRST, "clock_resolution_ns", "Wall time of the first call of the process."),
    Metric("cold_call_cpu_ns", "ns", _FIRST, "1 ns", "CPU time of the first call of the process."),
    Metric("cold_key_setup_wall_ns", "ns", _FIRST, "clock_resolution_ns",
           "Wall time of the first key setup of the process."),
    Metric("cold_key_setup_cpu_ns", "ns", _FIRST, "1 ns", "CPU time of the first key setup of the process."),
    Metric("warm_call_wall_ns", "ns", _FIRST, "clock_resolution_ns",
           "Wall time of one of the 16 calls after the first one, their median; of languages whose code adapts.",
           kind="real"),
    Metric("settling_calls", "1", "runner", "1", "Calls before the first timing."),
    Metric("settling_wall_ns", "ns", "runner: CLOCK_MONOTONIC around all batches", "clock_resolution_ns",
           "Wall time of the batches until they got no faster."),
    Metric("settled", "1", "runner", "1",
           "Whether the batches got no faster: 0 if they still did at the time limit."),
    Metric("timed_garbage_collections", "1", "runner: the language's memory management", "1",
           "Garbage collections during all timings."),
    Metric("call_cycles", "1", _COUNTERS, "1 / iterations",
           "Core cycles of one warm call: the median over the timings.", kind="real"),
    Metric("call_instructions", "1", _COUNTERS, "1 / iterations",
           "Instructions of one warm call: the median over the timings.", kind="real"),
    Metric("cycles_per_instruction", "1", "perf_event_open, user mode", "1 / instructions",
           "Core cycles / instructions, over all phases together or as the median over the timings.",
           kind="real"),
    Metric("derived_call_cycles", "1", "call_cpu_ns × core_clock_hz, timing by timing", "core_clock_hz",
           "Core cycles of one warm call, derived from time and clock: the median over the timings.", kind="real"),
    Metric("core_clock_hz", "Hz", "runner: chains of dependent multiplications around what is timed", "2 %",
           "Clock of the core, around the phases or as the median over the timings; null if it drifted.",
           kind="real"),
    Metric("clock_resolution_ns", "ns", "runner: smallest step seen of CLOCK_MONOTONIC", "1 ns",
           "Resolution of the clock in this execution."),
    Metric("clock_reading_ns", "ns", "runner: CLOCK_MONOTONIC read many times", "1 ns",
           "Cost of reading the clock; part of each timing."),
    Metric("min_call_cycles", "1", "descriptor of the cipher", "1",
           "Lower bound of the cycles of a call on any machine; a timing below it is impossible."),
)  # fmt: skip
