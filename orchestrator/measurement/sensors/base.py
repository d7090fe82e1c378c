"""What a sensor and a meter of energy are, whatever stands behind them."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class SensorValue:
    """One reading: a finite number, or None with the reason."""

    value: float | None
    reason: str = ""


class Sensor(Protocol):
    """Something that can be asked for its present value, within a millisecond and without disturbing the runner."""

    @property
    def name(self) -> str:
        """Quantity with its unit, then the place: ``temperature_celsius cpu-thermal``, ``frequency_hz cpu3``."""

    @property
    def unit(self) -> str:
        """``celsius``, ``Hz``, ``W``, ``J``, ``1``."""

    @property
    def source(self) -> str:
        """The file or command it comes from."""

    @property
    def resolution(self) -> str:
        """The smallest step it can show, and how often it changes where that is known."""

    def read(self) -> SensorValue:
        """Read it now. Never raises: what went wrong, or cannot be true, is the reason of an absent value."""

    def close(self) -> None:
        """Close what is open."""


@dataclass(frozen=True)
class EnergyReading:
    """Energy over one window, measured: a product of an assumed power and a time is no such thing."""

    joules: float | None
    window_ns: int
    reason: str = ""
    """Why joules is None."""


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
        """The smallest energy of a window that it can tell from another; None where unknown."""

    def begin(self) -> None:
        """The window begins now."""

    def end(self) -> EnergyReading:
        """The window ends now."""

    def close(self) -> None:
        """Close what is open."""


@dataclass(frozen=True)
class Sensors:
    """Everything that a machine offers."""

    sensors: tuple[Sensor, ...]
    meters: tuple[EnergyMeter, ...]
    """The one to use first: a user's own meter, then the one that sees most of the machine."""
    absent: dict[str, str]
    """Kind of sensor (``rapl``, ``ina``, ``throttling``) → why there is none."""
