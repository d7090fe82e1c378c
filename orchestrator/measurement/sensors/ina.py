"""INA219, 226, 230, 260 and 3221: power monitors on the I2C bus, read through the kernel's hwmon drivers."""

from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.sensors.base import Found, SensorValue
from orchestrator.measurement.sensors.reading import (
    FunctionSensor,
    ValueRange,
    distinct,
    folders,
    place,
    read_number,
    read_scaled,
    within,
)
from orchestrator.measurement.sensors.sampled_power import SampledPowerMeter

KIND = "ina"
_POSSIBLE = ValueRange(0.0, 10_000.0, "W")
_DEFAULT_INTERVAL_SECONDS = 0.07
"""Interval for drivers that report none: both conversions of an INA219 take at most 69 ms at its driver's settings."""
_MIN_INTERVAL_SECONDS = 0.02
"""Minimum interval; a reading over the bus takes about a millisecond."""

# Chip → (divisor of the current's step, power step in current steps). Source: drivers/hwmon/ina2xx.c.
_BY_SHUNT = {"ina219": (100, 20), "ina220": (100, 20), "ina226": (400, 25), "ina230": (400, 25), "ina231": (400, 25)}
_FIXED_STEP_WATTS = {"ina260": 0.01}
_INA3221_SHUNT_STEP_VOLTS = 40e-6


@dataclass(frozen=True)
class SupplyChannel:
    """Supply that a chip measures."""

    folder: Path
    chip: str
    number: int
    label: str

    @property
    def power_file(self) -> Path:
        """File with the power that the chip computes, in µW."""
        return self.folder / f"power{self.number}_input"

    @property
    def computed(self) -> bool:
        """True for the INA3221, whose power is computed here."""
        return self.chip == "ina3221"

    @property
    def source(self) -> str:
        """Files that the power comes from."""
        if self.computed:
            return f"{self.folder}: in{self.number}_input × curr{self.number}_input"
        return str(self.power_file)

    def watts(self) -> SensorValue:
        """Return the current power."""
        if not self.computed:
            return read_scaled(self.power_file, 1e-6, _POSSIBLE)
        millivolts = read_number(self.folder / f"in{self.number}_input")
        milliamperes = read_number(self.folder / f"curr{self.number}_input")
        if millivolts.value is None or milliamperes.value is None:
            return SensorValue(None, millivolts.reason or milliamperes.reason)
        if millivolts.value < 0 or milliamperes.value < 0:
            seen = f"{millivolts.value:g} mV and {milliamperes.value:g} mA"
            return SensorValue(None, f"{self.source} reads {seen}, which is negative: is the shunt reversed?")
        return within(SensorValue(millivolts.value * milliamperes.value * 1e-6), _POSSIBLE, self.source)

    def step_watts(self) -> float | None:
        """Return the smallest step of the power, or None if the driver does not report the shunt."""
        if self.chip in _FIXED_STEP_WATTS:
            return _FIXED_STEP_WATTS[self.chip]
        name = f"shunt{self.number}_resistor" if self.computed else "shunt_resistor"
        shunt_microohms = read_number(self.folder / name).value
        if not shunt_microohms or shunt_microohms < 0:
            return None
        if self.computed:
            millivolts = read_number(self.folder / f"in{self.number}_input").value
            return None if millivolts is None else _INA3221_SHUNT_STEP_VOLTS / shunt_microohms * millivolts * 1e3
        if self.chip not in _BY_SHUNT:
            return None
        divisor, factor = _BY_SHUNT[self.chip]
        return 1e9 / divisor / shunt_microohms * 1e-6 * factor


def find(roots: Roots) -> Found:
    """Return one sensor and one meter per channel."""
    channels = _channels(roots)
    if not channels:
        return Found(
            absent=f"no ina2xx or ina3221 in {roots.sys}/class/hwmon: no such chip, or its driver is not loaded"
        )
    names = distinct(place(f"{channel.chip} {channel.label}") for channel in channels)
    sensors = tuple(
        FunctionSensor(f"power_watts {name}", "W", channel.source, _resolution(channel), channel.watts)
        for name, channel in zip(names, channels, strict=True)
    )
    meters = tuple(
        SampledPowerMeter(
            name=f"{name} at {channel.folder.name}",
            source=f"{channel.source}, power samples, trapezoids",
            read_watts=channel.watts,
            interval_seconds=_interval_seconds(channel.folder),
            step_watts=channel.step_watts(),
        )
        for name, channel in zip(names, channels, strict=True)
    )
    return Found(sensors, meters, rank=20)


def _resolution(channel: SupplyChannel) -> str:
    step = channel.step_watts()
    return "unknown: the driver does not report the shunt" if step is None else f"{step:.3g} W"


def _interval_seconds(folder: Path) -> float:
    driver_ms = read_number(folder / "update_interval").value
    return max(driver_ms / 1000 if driver_ms else _DEFAULT_INTERVAL_SECONDS, _MIN_INTERVAL_SECONDS)


def _channels(roots: Roots) -> list[SupplyChannel]:
    found = []
    for numbered in folders(roots.sys / "class/hwmon", "hwmon*"):
        folder = numbered.resolve()  # The device's own folder: hwmon numbers may change.
        chip = read_text(folder / "name") or ""
        if not chip.startswith("ina"):
            continue
        if chip == "ina3221":
            numbers = [
                number
                for number in (1, 2, 3)
                if (folder / f"curr{number}_input").exists() and read_text(folder / f"in{number}_enable") != "0"
            ]
        else:
            numbers = [1] if (folder / "power1_input").exists() else []
        for number in numbers:
            label = read_text(folder / f"in{number}_label") if chip == "ina3221" else read_text(folder / "label")
            found.append(SupplyChannel(folder, chip, number, label or f"channel{number}"))
    return found
