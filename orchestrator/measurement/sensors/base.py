"""Interfaces of sensors and energy meters, and their readings."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class SensorValue:
    """Reading of a sensor: a finite number, or None with the reason."""

    value: float | None
    reason: str = ""


class Sensor(Protocol):
    """Source of a current value."""

    @property
    def name(self) -> str:
        """Quantity with its unit, then the place: ``temperature_celsius cpu-thermal``, ``frequency_hz cpu3``.

        Quantities: ``frequency_hz``, ``temperature_celsius``, ``throttled_bits``, ``power_watts``, ``voltage_volts``,
        ``battery_joules``, ``battery_discharging``.
        """

    @property
    def unit(self) -> str:
        """``celsius``, ``Hz``, ``W``, ``V``, ``J``, ``1``."""

    @property
    def source(self) -> str:
        """File or command that the value comes from."""

    @property
    def resolution(self) -> str:
        """Smallest step of the value, and how often it changes if that is known."""

    @property
    def quick(self) -> bool:
        """True if a reading takes well under a millisecond, so that it is read right before and after an execution.

        False for a slow bus, slow firmware or a program that has to be started.
        """

    def read(self) -> SensorValue:
        """Return the current value; errors and impossible values become the reason of an absent one."""

    def close(self) -> None:
        """Close open files and programs."""


class NothingOpen:
    """Sensor or meter that opens its files for each reading."""

    def close(self) -> None:
        """Do nothing, because no file is open."""


@dataclass(frozen=True)
class PowerSample:
    """Power at one moment."""

    at_ns: int
    """Time on CLOCK_MONOTONIC."""
    watts: float


@dataclass(frozen=True)
class EnergyReading:
    """Measured energy of one window; the product of an assumed power and a time is not a measurement."""

    joules: float | None
    window_ns: int
    reason: str = ""
    """Why joules is None."""
    samples: tuple[PowerSample, ...] = ()
    """Samples of an integrated power; empty for a counter."""


class EnergyMeter(Protocol):
    """Meter of the energy of a window: a counter's difference, or the integral of a sampled power."""

    @property
    def name(self) -> str:
        """Measured part of the machine: ``rapl package-0``, ``ina219 at hwmon2``, ``user meter``."""

    @property
    def source(self) -> str:
        """Origin of the values, and how they become energy: ``energy_uj, unwrapped``; ``power samples, trapezoids``."""

    @property
    def resolution_joules(self) -> float | None:
        """Smallest difference of two windows' energies that the meter shows; None if unknown. Read it after ``end``."""

    def begin(self) -> None:
        """Begin the window. Never raises: an error becomes the reason of the reading."""

    def end(self) -> EnergyReading:
        """End the window and return its energy. Never raises."""

    def close(self) -> None:
        """Close open files and programs."""


@dataclass(frozen=True)
class Found:
    """Sensors and meters of one kind on a machine."""

    sensors: tuple[Sensor, ...] = ()
    meters: tuple[EnergyMeter, ...] = ()
    absent: str = ""
    """Why there is none, or what is missing; empty if the kind is complete."""
    rank: int = 100
    """Rank of the meters; a lower rank covers more of the machine, or is more specific."""


@dataclass(frozen=True)
class Sensors:
    """All sensors and meters of a machine."""

    sensors: tuple[Sensor, ...]
    meters: tuple[EnergyMeter, ...]
    """Meters by rank: the user's own first, then those that cover most of the machine."""
    absent: dict[str, str]
    """Kind of sensor (``rapl``, ``ina``, ``throttling``) → why there is none."""

    def of(self, quantity: str) -> tuple[Sensor, ...]:
        """Return the sensors of one quantity, such as ``temperature_celsius``; the best first."""
        return tuple(sensor for sensor in self.sensors if sensor.name.partition(" ")[0] == quantity)

    def close(self) -> None:
        """Close every sensor and meter."""
        for sensor in self.sensors:
            sensor.close()
        for meter in self.meters:
            meter.close()
