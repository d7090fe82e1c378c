"""What an execution is for decides how it is measured: warm-up, timing, memory, or energy over a window."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from orchestrator.measurement.instrument.energy import Window, measure_window
from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.measurement.instrument.monitor import UNWATCHED, MonitorPlan
from orchestrator.measurement.instrument.waiting import Waited
from orchestrator.measurement.runner.commands import Command
from orchestrator.measurement.sensors.base import Sensors
from orchestrator.wire.jobs import JobMessage, Purpose
from orchestrator.wire.plans import Conditions, Energy

_NOT_OF_ENERGY = frozenset({"frequency", "temperature", "throttling"})
"""Kinds of sensors whose absence says nothing about energy."""


class JobInstrument(Protocol):
    """What an executor needs of an instrument."""

    @property
    def sensors(self) -> Sensors:
        """What the machine offers."""

    def wait(self, conditions: Conditions, stopped: Callable[[], bool], tell: Callable[[str], None]) -> Waited:
        """Wait, within the plan's bound, for a cool and quiet machine."""

    def measure(self, command: Command, monitor_plan: MonitorPlan | None = None) -> Measurement:
        """Execute a runner once; failures are told in the measurement."""

    def kill_running(self) -> None:
        """End the runner in work, from another thread."""

    def close(self) -> None:
        """End the launcher."""


def measure_for(
    purpose: Purpose, job: JobMessage, command: Command, instrument: JobInstrument, stopped: Callable[[], bool]
) -> Measurement | None:
    """Measure one execution as its purpose wants it; None for a window of energy that was stopped before its end."""
    if purpose == "energy":
        window = Window(
            command=command,
            measure=lambda: instrument.measure(command, UNWATCHED),
            meters=instrument.sensors.meters,
            seconds=job.energy_window_seconds or Energy().window_seconds,
            stopped=stopped,
            no_meter=_no_meter(instrument.sensors),
        )
        return measure_window(window)
    undisturbed = job.memory == "apart" and purpose != "memory"
    return instrument.measure(command, UNWATCHED if undisturbed else None)


def _no_meter(sensors: Sensors) -> str:
    reasons = (f"{kind}: {reason}" for kind, reason in sensors.absent.items() if kind not in _NOT_OF_ENERGY)
    return "; ".join(("this machine has no meter of energy", *reasons))[:1000]


def with_wait(measurement: Measurement, waited: Waited) -> Measurement:
    """Return the measurement with the wait before it: how long, and what of the plan was not met or not known."""
    absent = dict(measurement.absent)
    for name, words in waited.unknown:
        if name in absent:
            absent[name] = f"{absent[name]}; {words}"
    return replace(
        measurement,
        readings={**measurement.readings, "waited_ns": waited.waited_ns},
        absent=absent,
        marks=list(dict.fromkeys((*measurement.marks, *waited.marks))),
    )
