"""Battery of the machine: its energy, its power, and whether it is discharging."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.sensors.base import EnergyReading, Found, NothingOpen, Sensor, SensorValue
from orchestrator.measurement.sensors.reading import (
    FileSensor,
    FunctionSensor,
    ValueRange,
    folders,
    place,
    read_number,
    read_scaled,
    within,
)
from orchestrator.measurement.sensors.sampled_power import SampledPowerMeter

KIND = "battery"
_JOULES_PER_MICROWATTHOUR = 3.6e-3
_ENERGY_LIMITS = ValueRange(0.0, 3.6e7, "J")
_POWER_LIMITS = ValueRange(0.0, 1000.0, "W")
_STEPS_JOULES = (36.0, 3.6)
"""Steps of the energy: firmware counts in 10 mWh or in 1 mWh, which the values show."""
_INTERVAL_SECONDS = 1.0
"""Interval of samples: firmware measures a battery's power every 1 to 30 s."""
_STATES = {"Charging": 0.0, "Full": 0.0, "Not charging": 0.0, "Discharging": 1.0}


@dataclass(frozen=True)
class Battery:
    """Folder of a battery in /sys/class/power_supply."""

    folder: Path

    @property
    def name(self) -> str:
        """``BAT0``."""
        return place(self.folder.name)

    def discharging(self) -> SensorValue:
        """Return 1 while the battery is discharging, 0 on mains power."""
        state = read_text(self.folder / "status")
        if state is None:
            return SensorValue(None, f"{self.folder}/status does not exist or is empty")
        if state not in _STATES:
            return SensorValue(None, f"{self.folder}/status has the unknown value {state[:40]!r}")
        return SensorValue(_STATES[state])

    def joules(self) -> SensorValue:
        """Return the energy in the battery."""
        return read_scaled(self.folder / "energy_now", _JOULES_PER_MICROWATTHOUR, _ENERGY_LIMITS)

    def while_discharging(self, read: Callable[[], SensorValue]) -> SensorValue:
        """Return a reading if the machine takes its power from the battery."""
        discharging = self.discharging()
        if discharging.value == 1:
            return read()
        reason = discharging.reason or f"battery {self.name} is not discharging: the machine is on mains power"
        return SensorValue(None, reason)

    def watts(self) -> SensorValue:
        """Return the power that the battery gives or takes; some drivers report one of them as negative."""
        path = self.folder / "power_now"
        if path.exists():
            value = read_number(path)
            return value if value.value is None else within(SensorValue(abs(value.value) * 1e-6), _POWER_LIMITS, path)
        amperes, volts = read_number(self.folder / "current_now"), read_number(self.folder / "voltage_now")
        if amperes.value is None or volts.value is None:
            return SensorValue(None, amperes.reason or volts.reason)
        watts = abs(amperes.value) * volts.value * 1e-12
        return within(SensorValue(watts), _POWER_LIMITS, f"{self.folder}: current_now × voltage_now")


@dataclass
class BatteryMeter(NothingOpen):
    """Meter of the energy that the battery loses in a window."""

    battery: Battery
    _begun: tuple[int, SensorValue] | None = None
    _step_joules: float | None = None

    @property
    def name(self) -> str:
        """``battery BAT0``."""
        return f"battery {self.battery.name}"

    @property
    def source(self) -> str:
        """Path of the counter."""
        return f"{self.battery.folder}/energy_now, difference, while discharging"

    @property
    def resolution_joules(self) -> float | None:
        """Two steps of the battery's energy; None before the first window."""
        return None if self._step_joules is None else 2 * self._step_joules

    def begin(self) -> None:
        """Read the battery's energy at the begin of a window."""
        self._begun = (time.monotonic_ns(), self.battery.while_discharging(self.battery.joules))

    def end(self) -> EnergyReading:
        """Read the battery's energy again and return that of the window."""
        if self._begun is None:
            return EnergyReading(None, 0, "the window was not begun")
        (begin_ns, begun), self._begun = self._begun, None
        ended = self.battery.while_discharging(self.battery.joules)
        window_ns = time.monotonic_ns() - begin_ns
        if begun.value is None or ended.value is None:
            return EnergyReading(None, window_ns, begun.reason or ended.reason)
        self._step_joules = next((step for step in _STEPS_JOULES if _multiple(step, begun.value, ended.value)), None)
        joules = begun.value - ended.value
        if joules < 0:
            return EnergyReading(
                None, window_ns, f"{self.name} has {-joules:g} J more than before: it is not discharging"
            )
        if joules == 0:
            reason = f"{self.name} lost less than one step of its energy: measure longer"
            return EnergyReading(None, window_ns, reason)
        return EnergyReading(joules, window_ns)


def find(roots: Roots) -> Found:
    """Return sensors and a meter per battery; those of peripherals (scope ``Device``) are left out."""
    batteries = [
        Battery(folder)
        for folder in folders(roots.sys / "class/power_supply", "*")
        if read_text(folder / "type") == "Battery" and read_text(folder / "scope") != "Device"
    ]
    if not batteries:
        return Found(absent=f"no battery of the machine in {roots.sys}/class/power_supply")
    sensors = tuple(sensor for battery in batteries for sensor in _sensors(battery))
    meters = tuple(_meter(battery) for battery in batteries)
    return Found(sensors, meters, rank=50)


def _sensors(battery: Battery) -> list[Sensor]:
    status = f"{battery.folder}/status"
    sensors: list[Sensor] = [
        FunctionSensor(f"battery_discharging {battery.name}", "1", status, "yes or no", battery.discharging)
    ]
    if battery.watts().value is not None:
        source = f"{battery.folder}: power_now, or current_now × voltage_now"
        step = "1 mW at best, updated every 1 to 30 s"
        sensors.append(FunctionSensor(f"power_watts {battery.name}", "W", source, step, battery.watts))
    if battery.joules().value is not None:
        sensors.append(
            FileSensor(
                name=f"battery_joules {battery.name}",
                unit="J",
                path=battery.folder / "energy_now",
                scale=_JOULES_PER_MICROWATTHOUR,
                limits=_ENERGY_LIMITS,
                step="3.6 or 36 J, depending on the firmware",
                quick=False,
            )
        )
    return sensors


def _meter(battery: Battery) -> BatteryMeter | SampledPowerMeter:
    """Return a meter of the battery's energy, or of its power: many batteries report charge instead of energy."""
    if battery.joules().value is not None:
        return BatteryMeter(battery)
    return SampledPowerMeter(
        name=f"battery {battery.name}",
        source=f"{battery.folder}: power_now, or current_now × voltage_now, power samples, trapezoids",
        read_watts=partial(battery.while_discharging, battery.watts),
        interval_seconds=_INTERVAL_SECONDS,
        step_watts=None,
    )


def _multiple(step: float, *values: float) -> bool:
    return all(abs(value / step - round(value / step)) < 1e-6 for value in values)
