"""Temperature and throttling before and after an execution."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orchestrator.measurement.machine.marks import THROTTLED, Disturbance
from orchestrator.measurement.sensors.base import Sensor, Sensors, SensorValue

NOW_BITS = 0xF
SINCE_BOOT_BITS = 0xF0000

SLOW_EVERY_NS = 10_000_000_000
"""Interval between readings of a slow sensor, for which a command has to be executed."""


@dataclass(frozen=True)
class Surroundings:
    """Temperature and throttling at one moment."""

    temperature: SensorValue
    """Temperature of the hottest zone."""
    throttled: SensorValue


class _RateLimitedSensor:
    """Sensor whose last value is reused for SLOW_EVERY_NS if reading it is slow."""

    def __init__(self, sensor: Sensor, clock_ns: Callable[[], int]) -> None:
        self._sensor = sensor
        self._clock_ns = clock_ns
        self._last = SensorValue(None, "not read yet")
        self._due_ns = 0

    def value(self) -> SensorValue:
        """Return the sensor's current value; that of a slow sensor is up to ten seconds old."""
        if self._sensor.quick:
            return self._sensor.read()
        now_ns = self._clock_ns()
        if now_ns >= self._due_ns:
            self._last, self._due_ns = self._sensor.read(), now_ns + SLOW_EVERY_NS
        return self._last


class SurroundingsWatch:
    """Reader of temperature and throttling bits; the caller closes the sensors."""

    def __init__(self, sensors: Sensors, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """Select the sensors of temperature and throttling."""
        self._zones = [_RateLimitedSensor(sensor, clock_ns) for sensor in sensors.of("temperature_celsius")]
        self._bits = [_RateLimitedSensor(sensor, clock_ns) for sensor in sensors.of("throttled_bits")[:1]]
        self._reasons = sensors.absent

    def state(self) -> Surroundings:
        """Return the current surroundings."""
        bits = [sensor.value() for sensor in self._bits]
        return Surroundings(
            temperature=self.temperature(),
            throttled=bits[0] if bits else SensorValue(None, self._reason("throttling", "throttling bits")),
        )

    def temperature(self) -> SensorValue:
        """Return the temperature of the hottest zone; absent if no zone can be read."""
        if not self._zones:
            return SensorValue(None, self._reason("temperature", "temperature"))
        return hottest([zone.value() for zone in self._zones])

    def _reason(self, kind: str, quantity: str) -> str:
        return self._reasons.get(kind, f"no sensor of this machine reads {quantity}")


def hottest(values: Sequence[SensorValue]) -> SensorValue:
    """Return the highest value that is present, or the first value with its reason if none is."""
    present = [value for value in values if value.value is not None]
    return max(present, key=lambda value: value.value or 0.0) if present else values[0]


def judge_surroundings(before: Surroundings, after: Surroundings) -> Disturbance:
    """Return the disturbance that the surroundings before and after an execution show."""
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
    """Return the bits set before or after, and those that the firmware recorded between; None if one is unknown."""
    if before.value is None or after.value is None:
        return None
    was, is_now = int(before.value), int(after.value)
    return ((was | is_now) & NOW_BITS) | (is_now & ~was & SINCE_BOOT_BITS)
