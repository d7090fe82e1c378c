"""What a sensor and a meter of energy are, whatever stands behind them."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class SensorValue:
    """One reading: a finite number, or None with the reason."""

    value: float | None
    reason: str = ""


class Sensor(Protocol):
    """Something that can be asked for its present value."""

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
        """The file or command it comes from."""

    @property
    def resolution(self) -> str:
        """The smallest step it can show, and how often it changes where that is known."""

    @property
    def quick(self) -> bool:
        """True where a reading takes well under a millisecond: it may be read right before and after an execution.

        False for what goes over a slow bus, asks the firmware at length, or starts a program.
        """

    def read(self) -> SensorValue:
        """Read it now. Never raises: what went wrong, or cannot be true, is the reason of an absent value."""

    def close(self) -> None:
        """Close what is open."""


@dataclass(frozen=True)
class PowerSample:
    """The power at one moment."""

    at_ns: int
    """On CLOCK_MONOTONIC."""
    watts: float


@dataclass(frozen=True)
class EnergyReading:
    """Energy over one window, measured: a product of an assumed power and a time is no such thing."""

    joules: float | None
    window_ns: int
    reason: str = ""
    """Why joules is None."""
    samples: tuple[PowerSample, ...] = ()
    """What was integrated, where power was; empty for a counter."""


class EnergyMeter(Protocol):
    """Measures the energy of a window: a counter's difference, or the integral of a sampled power."""

    @property
    def name(self) -> str:
        """What is measured: ``rapl package-0``, ``ina219 at hwmon2``, ``user meter``."""

    @property
    def source(self) -> str:
        """Where it comes from, and how it becomes energy: ``energy_uj, unwrapped``; ``power samples, trapezoids``."""

    @property
    def resolution_joules(self) -> float | None:
        """The smallest energy of a window that it can tell from another; None where unknown. Ask after ``end``."""

    def begin(self) -> None:
        """The window begins now. Never raises: what went wrong is the reason of the reading."""

    def end(self) -> EnergyReading:
        """The window ends now. Never raises."""

    def close(self) -> None:
        """Close what is open."""


@dataclass(frozen=True)
class Found:
    """What one kind of sensor offers on a machine."""

    sensors: tuple[Sensor, ...] = ()
    meters: tuple[EnergyMeter, ...] = ()
    absent: str = ""
    """Why there is none, or what is missing of it; empty where all is there."""
    rank: int = 100
    """Of the meters: a lower rank sees more of the machine, or is more to the point."""


@dataclass(frozen=True)
class Sensors:
    """Everything that a machine offers."""

    sensors: tuple[Sensor, ...]
    meters: tuple[EnergyMeter, ...]
    """The one to use first: a user's own meter, then the one that sees most of the machine."""
    absent: dict[str, str]
    """Kind of sensor (``rapl``, ``ina``, ``throttling``) → why there is none."""

    def of(self, quantity: str) -> tuple[Sensor, ...]:
        """Return the sensors of one quantity, ``temperature_celsius`` or ``throttled_bits``; the best first."""
        return tuple(sensor for sensor in self.sensors if sensor.name.partition(" ")[0] == quantity)

    def close(self) -> None:
        """Close every sensor and meter."""
        for sensor in self.sensors:
            sensor.close()
        for meter in self.meters:
            meter.close()
