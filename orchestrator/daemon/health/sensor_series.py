"""The agent's sensor series: every sensor is read at an interval, and readings are kept until the service has them."""

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog

from orchestrator.daemon.session.measuring_lock import MeasuringLock
from orchestrator.measurement.sensors.base import Sensor
from orchestrator.wire.health import SensorSample

KEPT_READINGS = 5000
"""Capacity of the buffer: almost an hour on a machine with 15 sensors. The oldest readings are dropped first."""
BATCH_READINGS = 1000
"""Maximum number of readings in one heartbeat."""
_MAX_REASON_CHARACTERS = 400

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class ReadingBatch:
    """The oldest readings that the service does not have yet."""

    readings: list[SensorSample]
    last_number: int
    """Number of the last reading, counted from the daemon's start."""


class ReadingBuffer:
    """A bounded buffer, filled by the sensor thread and emptied by the heartbeat thread."""

    def __init__(self, kept: int = KEPT_READINGS) -> None:
        """Create an empty buffer with a capacity of `kept` readings."""
        self._lock = threading.Lock()
        self._readings: deque[SensorSample] = deque(maxlen=kept)
        self._added = 0

    def add(self, reading: SensorSample) -> None:
        """Add a reading; a full buffer drops its oldest one."""
        with self._lock:
            self._readings.append(reading)
            self._added += 1

    def oldest(self, count: int = BATCH_READINGS) -> ReadingBatch:
        """Return up to `count` of the oldest readings; they stay until `acknowledge`."""
        with self._lock:
            first_number = self._added - len(self._readings)
            readings = [self._readings[index] for index in range(min(count, len(self._readings)))]
            return ReadingBatch(readings, first_number + len(readings))

    def acknowledge(self, batch: ReadingBatch) -> None:
        """Drop the readings of a batch that the service has; a full buffer may have dropped some of them already."""
        with self._lock:
            while self._readings and self._added - len(self._readings) < batch.last_number:
                self._readings.popleft()


INTERVAL_SECONDS = 10.0


class SensorThread(threading.Thread):
    """Reads every sensor at an interval into the buffer, until it is stopped.

    It inherits the CPU affinity of the thread that starts it, which has left the measured core.
    """

    def __init__(
        self,
        sensors: Sequence[Sensor],
        buffer: ReadingBuffer,
        *,
        interval_seconds: float = INTERVAL_SECONDS,
        measuring: MeasuringLock,
    ) -> None:
        """Create the thread; `start` runs it.

        measuring: held while runners work; slow sensors, which may start a program, wait for it.
        """
        super().__init__(name="sensors", daemon=True)
        self._sensors = sensors
        self._buffer = buffer
        self._interval_seconds = interval_seconds
        self._measuring = measuring
        self._stopped = threading.Event()

    def run(self) -> None:
        """Read all sensors immediately, then at each interval."""
        while not self._stopped.is_set():
            try:
                self.read_all()
            except Exception:  # The outermost loop of this thread: one broken sensor must not end the series.
                _log.exception("reading the sensors failed")
            self._stopped.wait(self._interval_seconds)

    def stop(self) -> None:
        """End the thread after its current reading."""
        self._stopped.set()
        self.join(timeout=5)

    def read_all(self) -> None:
        """Read every sensor once; slow ones between two executions, or not at all if an execution lasts too long."""
        for sensor in self._sensors:
            if sensor.quick:
                self._buffer.add(reading_of(sensor))
        slow = [sensor for sensor in self._sensors if not sensor.quick]
        if slow and self._measuring.acquire(timeout=self._interval_seconds):
            try:
                for sensor in slow:
                    self._buffer.add(reading_of(sensor))
            finally:
                self._measuring.release()


def reading_of(sensor: Sensor) -> SensorSample:
    """Read a sensor now and return the reading as it is reported to the service."""
    value = sensor.read()
    return SensorSample(
        sensor=sensor.name,
        unit=sensor.unit,
        read_at=datetime.now(UTC),
        value=value.value,
        reason=value.reason[:_MAX_REASON_CHARACTERS],
    )
