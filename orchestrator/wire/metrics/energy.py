"""Metrics of a window of executions under an energy meter."""

from orchestrator.wire.metrics.registry import Metric

_METER = "the first meter of energy; see provenance"
_RESOLUTION = "energy_resolution_joules"

METRICS = (
    Metric("energy_joules", "J", _METER, _RESOLUTION, "Energy of the window, as measured by the meter.", kind="real"),
    Metric("energy_window_ns", "ns", "the meter's own clock", "1 ns", "Length of the window."),
    Metric("energy_executions", "1", "daemon", "1", "Complete executions in the window."),
    Metric("energy_per_execution_joules", "J", "energy_joules / energy_executions", _RESOLUTION,
           "Energy of one execution, including the machine's consumption until the next one begins.", kind="real"),
    Metric("energy_per_byte_joules", "J/byte", "energy_joules / input bytes, under latency of timed calls", _RESOLUTION,
           "Energy of one byte of input, including start-up and everything else in the process.", kind="real"),
    Metric("energy_resolution_joules", "J", _METER, "-", "Smallest energy that the meter can distinguish.",
           kind="real"),
)  # fmt: skip
