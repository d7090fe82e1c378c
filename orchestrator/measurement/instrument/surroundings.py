"""Temperature and throttling before and after an execution, from the sensors that answer quickly."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orchestrator.measurement.machine.marks import THROTTLED, Disturbance
from orchestrator.measurement.sensors.base import Sensor, Sensors, SensorValue

NOW_BITS = 0xF
SINCE_BOOT_BITS = 0xF0000

SLOW_EVERY_NS = 10_000_000_000
"""How often a sensor is asked that takes long to answer, because a command has to be executed."""


@dataclass(frozen=True)
class Surroundings:
    """The machine at one moment."""

    temperature: SensorValue
    """Of the hottest zone."""
    throttled: SensorValue


class _Asked:
    """A sensor that is asked as often as its slowness allows; in between its last answer stands."""

    def __init__(self, sensor: Sensor, clock_ns: Callable[[], int]) -> None:
        self._sensor = sensor
        self._clock_ns = clock_ns
        self._last = SensorValue(None, "not asked yet")
        self._due_ns = 0

    def value(self) -> SensorValue:
        """Return the sensor's value: of now, or of at most ten seconds ago where asking takes long."""
        if self._sensor.quick:
            return self._sensor.read()
        now_ns = self._clock_ns()
        if now_ns >= self._due_ns:
            self._last, self._due_ns = self._sensor.read(), now_ns + SLOW_EVERY_NS
        return self._last


class SurroundingsWatch:
    """Reads temperature and throttling bits; the sensors belong to whoever found them."""

    def __init__(self, sensors: Sensors, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """Pick the sensors that matter around an execution."""
        self._zones = [_Asked(sensor, clock_ns) for sensor in sensors.of("temperature_celsius")]
        self._bits = [_Asked(sensor, clock_ns) for sensor in sensors.of("throttled_bits")[:1]]
        self._reasons = sensors.absent

    def state(self) -> Surroundings:
        """Read them now."""
        bits = [sensor.value() for sensor in self._bits]
        return Surroundings(
            temperature=self.temperature(),
            throttled=bits[0] if bits else SensorValue(None, self._reason("throttling", "throttling bits")),
        )

    def temperature(self) -> SensorValue:
        """Return the temperature of the hottest zone; absent where no zone can be read."""
        if not self._zones:
            return SensorValue(None, self._reason("temperature", "temperature"))
        return hottest([zone.value() for zone in self._zones])

    def _reason(self, kind: str, words: str) -> str:
        return self._reasons.get(kind, f"no sensor of this machine tells {words}")


def hottest(values: Sequence[SensorValue]) -> SensorValue:
    """Return the highest present value; where none is present, the first one's reason."""
    present = [value for value in values if value.value is not None]
    return max(present, key=lambda value: value.value or 0.0) if present else values[0]


def judge_surroundings(before: Surroundings, after: Surroundings) -> Disturbance:
    """Compare the machine before and after an execution."""
    readings: dict[str, int | float | None] = {}
    absent: dict[str, str] = {}
    for name, value in (("before", before.temperature), ("after", after.temperature)):
        readings[f"temperature_{name}_celsius"] = value.value
        if value.value is None:
            absent[f"temperature_{name}_celsius"] = value.reason
    bits = _bits_during(before.throttled, after.throttled)
    readings["throttled_bits"] = bits
    if bits is None:
        absent["throttled_bits"] = before.throttled.reason or after.throttled.reason
    return Disturbance([THROTTLED.name] if bits else [], readings, absent)


def _bits_during(before: SensorValue, after: SensorValue) -> int | None:
    """Return what is set now, before or after, and what the firmware has noted since; None where it was not asked."""
    if before.value is None or after.value is None:
        return None
    was, is_now = int(before.value), int(after.value)
    return ((was | is_now) & NOW_BITS) | (is_now & ~was & SINCE_BOOT_BITS)
