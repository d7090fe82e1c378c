"""Fakes for hardware: sensors and meters with the values of a test."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrator.measurement.sensors.base import EnergyReading, SensorValue


@dataclass
class FakeSensor:
    """Gives one value after another; the last one for ever."""

    name: str
    values: Sequence[float | None]
    quick: bool = True
    unit: str = "1"
    source: str = "a test"
    resolution: str = "1"
    readings: int = 0

    def read(self) -> SensorValue:
        value = self.values[min(self.readings, len(self.values) - 1)]
        self.readings += 1
        return SensorValue(value, "" if value is not None else "the sensor is gone")

    def close(self) -> None:
        pass


@dataclass
class FakeMeter:
    """A meter at so many watts, on a clock of the test's."""

    watts: float | None
    clock: "FakeClock"
    name: str = "fake meter"
    source: str = "watts × time of a test"
    resolution_joules: float | None = 0.001
    began_ns: int | None = None
    windows: list[int] = field(default_factory=list)

    def begin(self) -> None:
        self.began_ns = self.clock.now_ns

    def end(self) -> EnergyReading:
        assert self.began_ns is not None
        window_ns, self.began_ns = self.clock.now_ns - self.began_ns, None
        self.windows.append(window_ns)
        if self.watts is None:
            return EnergyReading(None, window_ns, "the meter is gone")
        return EnergyReading(self.watts * window_ns / 1e9, window_ns)

    def close(self) -> None:
        pass


@dataclass
class FakeClock:
    """A clock that moves only when a test advances it or a caller sleeps."""

    now_ns: int = 0

    def __call__(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)
