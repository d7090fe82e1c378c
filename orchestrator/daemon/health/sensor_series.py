"""The agent's own time line: every sensor each few seconds, kept until a heartbeat with it was answered."""

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog

from orchestrator.measurement.sensors.base import Sensor
from orchestrator.wire.health import SensorSample

KEPT_READINGS = 5000
"""Of a machine with 15 sensors almost an hour; the oldest go first where the service is away for longer."""
BATCH_READINGS = 1000
"""In one heartbeat at most."""
_LONGEST_REASON = 400

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Batch:
    """The oldest readings that no answered heartbeat has brought to the service."""

    readings: list[SensorSample]
    last_number: int
    """Counts every reading since the start; answered readings are dropped up to here."""


class ReadingBuffer:
    """Bounded; filled by one thread, emptied by another."""

    def __init__(self, kept: int = KEPT_READINGS) -> None:
        """Keep so many readings at most."""
        self._lock = threading.Lock()
        self._readings: deque[SensorSample] = deque(maxlen=kept)
        self._added = 0

    def add(self, reading: SensorSample) -> None:
        """Add one; the oldest goes where there is no room."""
        with self._lock:
            self._readings.append(reading)
            self._added += 1

    def oldest(self, count: int = BATCH_READINGS) -> Batch:
        """Return the oldest ones; they stay until ``answered``."""
        with self._lock:
            first_number = self._added - len(self._readings)
            readings = [self._readings[index] for index in range(min(count, len(self._readings)))]
            return Batch(readings, first_number + len(readings))

    def answered(self, batch: Batch) -> None:
        """Drop what the service has; others may have gone in between for want of room."""
        with self._lock:
            while self._readings and self._added - len(self._readings) < batch.last_number:
                self._readings.popleft()


@dataclass(frozen=True)
class LinePlan:
    """How the time line is read."""

    interval_seconds: float
    measuring: threading.Lock
    """Held while an execution runs: slow sensors, which may start a program, wait for it."""


class SensorLine(threading.Thread):
    """Reads every sensor at its interval into the buffer, until it is stopped.

    It inherits the cores of the thread that starts it: that one has left the measured core.
    """

    def __init__(self, sensors: Sequence[Sensor], plan: LinePlan, buffer: ReadingBuffer) -> None:
        """Prepare; start() begins."""
        super().__init__(name="sensor line", daemon=True)
        self._sensors = sensors
        self._plan = plan
        self._buffer = buffer
        self._stopped = threading.Event()

    def run(self) -> None:
        """Read at once, then each interval."""
        while not self._stopped.is_set():
            try:
                self.read_all()
            except Exception:  # The outermost loop of this thread: one bad sensor must not end the time line.
                _log.exception("reading the sensors failed")
            self._stopped.wait(self._plan.interval_seconds)

    def stop(self) -> None:
        """End the thread after the reading in work."""
        self._stopped.set()
        self.join(timeout=5)

    def read_all(self) -> None:
        """Read every sensor once; slow ones between two executions, and not at all where one lasts too long."""
        for sensor in self._sensors:
            if sensor.quick:
                self._buffer.add(reading_of(sensor))
        slow = [sensor for sensor in self._sensors if not sensor.quick]
        if slow and self._plan.measuring.acquire(timeout=self._plan.interval_seconds):
            try:
                for sensor in slow:
                    self._buffer.add(reading_of(sensor))
            finally:
                self._plan.measuring.release()


def reading_of(sensor: Sensor) -> SensorSample:
    """Read a sensor now, as the service hears it."""
    value = sensor.read()
    return SensorSample(
        sensor=sensor.name,
        unit=sensor.unit,
        read_at=datetime.now(UTC),
        value=value.value,
        reason=value.reason[:_LONGEST_REASON],
    )
