"""Energy over a window of repeated executions, because most meters are slower than one execution."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.measurement.machine.marks import THROTTLED, TIME_JUMP
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.commands import LatencyCommand
from orchestrator.measurement.sensors.base import EnergyMeter, EnergyReading

_MAX_MARKED_SHARE = 0.05
_ALWAYS = frozenset({THROTTLED.name, TIME_JUMP.name})
"""Marks that apply to the window even if one short execution has them."""


@dataclass(frozen=True)
class EnergyWindow:
    """Command of one window, and how it is measured."""

    command: Command
    measure: Callable[[], Measurement]
    """Function that executes the command once, without sampling, which takes energy."""
    meters: Sequence[EnergyMeter]
    seconds: float
    """Minimum length: the last execution is completed."""
    stopped: Callable[[], bool]
    """Called between executions."""
    no_meter: str
    """Why there is no meter; unused if there is one."""
    clock_ns: Callable[[], int] = time.monotonic_ns


@dataclass(frozen=True)
class _Executed:
    """Executions of a window."""

    measurements: list[Measurement]
    processed_bytes: int | None

    @property
    def failed(self) -> Measurement | None:
        return next((m for m in self.measurements if m.failure is not None), None)


def measure_window(window: EnergyWindow) -> Measurement | None:
    """Execute the command until the window is full and return one measurement, or None if it was stopped before.

    The measurement is that of the first execution, with the energy and the marks of the window. If an execution failed,
    it is the measurement of that execution, and the energy is absent. Without a meter there is one execution.
    """
    for meter in window.meters:
        meter.begin()
    try:
        executed = _execute(window)
    finally:
        energies = [meter.end() for meter in window.meters]
    if executed is None:
        return None
    readings, absent = _readings(window, executed, energies)
    shown = executed.failed or executed.measurements[0]
    return replace(
        shown,
        readings={**shown.readings, **readings},
        absent={**shown.absent, **absent},
        marks=marks_of(executed.measurements),
        provenance={**shown.provenance, **_provenance(window.meters, energies)},
    )


def _execute(window: EnergyWindow) -> _Executed | None:
    until_ns = window.clock_ns() + (round(window.seconds * 1e9) if window.meters else 0)
    measurements: list[Measurement] = []
    processed: int | None = 0
    while not measurements or window.clock_ns() < until_ns:
        if window.stopped():
            return None
        one = window.measure()
        measurements.append(one)
        if one.failure is not None:
            break
        of_one = processed_bytes(window.command, one)
        processed = None if processed is None or of_one is None else processed + of_one
        # Only the first is returned; curves and timings of the others would only take memory.
        if len(measurements) > 1:
            measurements[-1] = replace(one, curve=None, timings=None, readings={}, absent={})
    return _Executed(measurements, processed)


def marks_of(measurements: Sequence[Measurement]) -> list[str]:
    """Return the marks of a window: those of executions that together took more than 5 % of its executions' time.

    Of hundreds of short executions some are preempted, which is no reason to exclude the window.
    """
    took_ns: dict[str, float] = {}
    for measurement in measurements:
        for mark in measurement.marks:
            took_ns[mark] = took_ns.get(mark, 0.0) + _wall_ns(measurement)
    tolerated_ns = _MAX_MARKED_SHARE * sum(_wall_ns(measurement) for measurement in measurements)
    return [mark for mark, wall_ns in took_ns.items() if mark in _ALWAYS or wall_ns > tolerated_ns]


def _wall_ns(measurement: Measurement) -> float:
    """Return the length of an execution; 1 ns if it was not launched."""
    return measurement.columns.get("process_wall_ns") or 1.0


def processed_bytes(command: Command, measurement: Measurement) -> int | None:
    """Return the bytes that one execution processed: its input, or all timed calls; 0 for calls without a message."""
    if isinstance(command, LatencyCommand):
        if measurement.timings is None:
            return None
        return command.case.message_bytes * sum(measurement.timings.iterations)
    found = measurement.columns.get("input_bytes")
    return None if found is None else int(found)


def _readings(
    window: EnergyWindow, executed: _Executed, energies: Sequence[EnergyReading]
) -> tuple[dict[str, int | float | None], dict[str, str]]:
    meter = window.meters[0] if window.meters else None
    energy = energies[0] if energies else EnergyReading(None, 0, window.no_meter)
    joules, reason = energy.joules, energy.reason
    if executed.failed is not None:
        joules, reason = None, "an execution of the window failed"
    count, processed = len(executed.measurements), executed.processed_bytes
    readings: dict[str, int | float | None] = {
        "energy_joules": joules,
        "energy_window_ns": energy.window_ns if meter else None,
        "energy_executions": count if meter else None,
        "energy_per_execution_joules": None if joules is None else joules / count,
        "energy_per_byte_joules": None if joules is None or not processed else joules / processed,
        "energy_resolution_joules": meter.resolution_joules if meter else None,
    }
    reasons = {"energy_resolution_joules": "the meter does not report its resolution" if meter else window.no_meter}
    if joules is not None:
        reasons["energy_per_byte_joules"] = "the execution processes no bytes"
    return readings, {name: reasons.get(name, reason) for name, value in readings.items() if value is None}


def _provenance(meters: Sequence[EnergyMeter], energies: Sequence[EnergyReading]) -> dict[str, str]:
    """Return the meter by reading, with the other meters' energy of the same window."""
    if not meters:
        return {}
    source = f"{meters[0].name}: {meters[0].source}"
    others = [
        f"{meter.name} {energy.joules:.6g} J" if energy.joules is not None else f"{meter.name} absent ({energy.reason})"
        for meter, energy in zip(meters[1:], energies[1:], strict=True)
    ]
    text = source + (f"; other meters: {', '.join(others)}" if others else "")
    return dict.fromkeys(("energy_joules", "energy_per_execution_joules", "energy_per_byte_joules"), text[:1000])
