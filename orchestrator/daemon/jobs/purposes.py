"""Measurement by purpose of the execution: alone, through a shell, or for energy over a window."""

from collections.abc import Callable
from dataclasses import replace

from orchestrator.measurement.instrument.energy import EnergyWindow, measure_window
from orchestrator.measurement.instrument.measure import Executed, Instrument, Measurement
from orchestrator.measurement.instrument.monitor import UNWATCHED
from orchestrator.measurement.instrument.shell_watch import ShellWatchPlan
from orchestrator.measurement.instrument.waiting import Waited
from orchestrator.measurement.runner.command import Command
from orchestrator.measurement.runner.shell_command import ShellCommand
from orchestrator.measurement.sensors.base import Sensors
from orchestrator.wire.jobs import JobMessage, Purpose
from orchestrator.wire.plans import Energy

_UNRELATED_TO_ENERGY = frozenset({"frequency", "temperature", "throttling"})
"""Kinds of sensors whose absence does not explain a missing energy meter."""


def execute_for(
    purpose: Purpose,
    job: JobMessage,
    command: Command,
    instrument: Instrument,
    *,
    stopped: Callable[[], bool],
    when_started: Callable[[], None],
    following: Callable[[], Command | None],
) -> Executed | None:
    """Make one execution according to its purpose; return None if an energy window was stopped before its end.

    when_started: called when a runner works, or when the energy window begins.
    following: returns the command of the next execution if the launcher may start it after this one (`is_plain`).
    """
    if purpose == "energy":
        when_started()
        window = EnergyWindow(
            command=command,
            measure=lambda: instrument.execute(command, UNWATCHED).measurement(),
            meters=instrument.sensors.meters,
            seconds=job.energy_window_seconds or Energy().window_seconds,
            stopped=stopped,
            no_meter=_no_meter(instrument.sensors),
        )
        measured = measure_window(window)
        return None if measured is None else Executed.of(measured)
    if purpose == "shell":
        return instrument.execute(ShellCommand.of(command), ShellWatchPlan(), when_started)
    unsampled = job.memory == "apart" and purpose != "memory"
    return instrument.execute(command, UNWATCHED if unsampled else None, when_started, following)


def is_plain(purpose: Purpose) -> bool:
    """Return whether an execution of this purpose is one process of the command itself."""
    return purpose not in ("energy", "shell")


def _no_meter(sensors: Sensors) -> str:
    reasons = (f"{kind}: {reason}" for kind, reason in sensors.absent.items() if kind not in _UNRELATED_TO_ENERGY)
    return "; ".join(("this machine has no energy meter", *reasons))[:1000]


def with_wait(measurement: Measurement, waited: Waited) -> Measurement:
    """Return the measurement with the preceding wait: its duration, and the conditions that were not met or unknown."""
    absent = dict(measurement.absent)
    for name, reason in waited.unknown:
        if name in absent:
            absent[name] = f"{absent[name]}; {reason}"
    return replace(
        measurement,
        readings={**measurement.readings, "waited_ns": waited.waited_ns},
        absent=absent,
        marks=list(dict.fromkeys((*measurement.marks, *waited.marks))),
    )
