"""Energy over a window of repeated executions: most meters are slower than one execution."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.measurement.machine.marks import THROTTLED, TIME_JUMP
from orchestrator.measurement.runner.commands import Command, LatencyCommand
from orchestrator.measurement.sensors.base import EnergyMeter, EnergyReading

_MARKED_SHARE = 0.05
_ALWAYS = frozenset({THROTTLED.name, TIME_JUMP.name})
"""What spoils a window however short it was."""


@dataclass(frozen=True)
class Window:
    """What is executed in one window, and with what it is measured."""

    command: Command
    measure: Callable[[], Measurement]
    """Executes the command once; unwatched, because sampling takes energy."""
    meters: Sequence[EnergyMeter]
    seconds: float
    """At the least: the execution in which it passes is finished."""
    stopped: Callable[[], bool]
    """Asked between executions."""
    no_meter: str
    """Why there is no meter, where there is none."""
    clock_ns: Callable[[], int] = time.monotonic_ns


@dataclass(frozen=True)
class _Executed:
    """The executions of a window."""

    measurements: list[Measurement]
    processed_bytes: int | None

    @property
    def failed(self) -> Measurement | None:
        return next((m for m in self.measurements if m.failure is not None), None)


def measure_window(window: Window) -> Measurement | None:
    """Execute whole executions until the window is full; None when it was stopped before.

    Returns the measurement of the first execution with the energy and the marks of the window. Where one failed, it is
    that one's measurement, and the energy is absent. Without a meter one execution is enough.
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
    told = executed.failed or executed.measurements[0]
    return replace(
        told,
        readings={**told.readings, **readings},
        absent={**told.absent, **absent},
        marks=marks_of(executed.measurements),
        provenance={**told.provenance, **_provenance(window.meters, energies)},
    )


def _execute(window: Window) -> _Executed | None:
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
        # Only the first is told; the others' curves and timings would fill the memory for nothing.
        if len(measurements) > 1:
            measurements[-1] = replace(one, curve=None, timings=None, readings={}, absent={})
    return _Executed(measurements, processed)


def marks_of(measurements: Sequence[Measurement]) -> list[str]:
    """Return what disturbed a window: marks of executions that together took more than 5 % of its executions' time.

    Among hundreds of short executions one is preempted somewhere; that is no reason to leave the window out.
    """
    took_ns: dict[str, float] = {}
    for measurement in measurements:
        for mark in measurement.marks:
            took_ns[mark] = took_ns.get(mark, 0.0) + _wall_ns(measurement)
    least_ns = _MARKED_SHARE * sum(_wall_ns(measurement) for measurement in measurements)
    return [mark for mark, wall_ns in took_ns.items() if mark in _ALWAYS or wall_ns > least_ns]


def _wall_ns(measurement: Measurement) -> float:
    """Return the length of an execution; one that was not even launched counts as a moment."""
    return measurement.columns.get("process_wall_ns") or 1.0


def processed_bytes(command: Command, measurement: Measurement) -> int | None:
    """Return the bytes that one execution worked on: its input, or those of all its timed calls; None for key setup."""
    if isinstance(command, LatencyCommand):
        if command.operation == "key-setup" or measurement.timings is None:
            return None
        return command.message_bytes * sum(measurement.timings.iterations)
    found = measurement.columns.get("input_bytes")
    return None if found is None else int(found)


def _readings(
    window: Window, executed: _Executed, energies: Sequence[EnergyReading]
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
    reasons = {"energy_resolution_joules": "the meter does not tell its resolution" if meter else window.no_meter}
    if joules is not None:
        reasons["energy_per_byte_joules"] = "there are no bytes to divide by"
    return readings, {name: reasons.get(name, reason) for name, value in readings.items() if value is None}


def _provenance(meters: Sequence[EnergyMeter], energies: Sequence[EnergyReading]) -> dict[str, str]:
    """Say which meter it was, and what the other ones saw of the same window."""
    if not meters:
        return {}
    words = f"{meters[0].name}: {meters[0].source}"
    others = [
        f"{meter.name} {energy.joules:.6g} J" if energy.joules is not None else f"{meter.name} absent ({energy.reason})"
        for meter, energy in zip(meters[1:], energies[1:], strict=True)
    ]
    whole = words + (f"; beside it: {', '.join(others)}" if others else "")
    return dict.fromkeys(("energy_joules", "energy_per_execution_joules", "energy_per_byte_joules"), whole[:1000])
