"""Energy meter that samples a power at the source's rate, in a thread, and integrates it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from orchestrator.measurement.sensors.base import EnergyReading, PowerSample, SensorValue
from orchestrator.measurement.sensors.integral import Window, integrate_power


@dataclass
class SampledPowerMeter:
    """Energy meter of a power that can be read at any time.

    The sampling thread inherits the cores of the thread that calls ``begin``, which is off the measured core.
    """

    name: str
    source: str
    read_watts: Callable[[], SensorValue]
    interval_seconds: float
    step_watts: float | None
    """Smallest difference of two powers; None if unknown."""
    must_move: bool = False
    """True for a sum of many converters, for which repeated identical values mean that the source is stuck."""
    _samples: list[PowerSample] = field(default_factory=list)
    _failures: list[str] = field(default_factory=list)
    _begin_ns: int | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def resolution_joules(self) -> float | None:
        """Energy of one step of the power over one interval."""
        return None if self.step_watts is None else self.step_watts * self.interval_seconds

    def begin(self) -> None:
        """Begin the window and start sampling."""
        self._end_thread()
        self._samples, self._failures, self._stop = [], [], threading.Event()
        self._begin_ns = time.monotonic_ns()
        self._thread = threading.Thread(target=self._sample, args=(self._stop,), name="power", daemon=True)
        self._thread.start()

    def end(self) -> EnergyReading:
        """Take the last sample and return the energy of the window."""
        end_ns = time.monotonic_ns()
        if self._begin_ns is None:
            return EnergyReading(None, 0, "the window was not begun")
        begin_ns, self._begin_ns = self._begin_ns, None
        self._end_thread()
        reading = integrate_power(self._samples, Window.of(begin_ns, end_ns, self.interval_seconds * 1e9))
        if reading.joules is None and self._failures:
            reason = f"{reading.reason}; {len(self._failures)} samples failed, the last: {self._failures[-1]}"
            return EnergyReading(None, reading.window_ns, reason)
        powers = {sample.watts for sample in reading.samples}
        if self.must_move and len(powers) == 1 and len(reading.samples) >= 10:
            reason = f"{len(reading.samples)} samples are identical: the source is stuck"
            return EnergyReading(None, reading.window_ns, reason)
        return reading

    def close(self) -> None:
        """End the sampling thread."""
        self._end_thread()

    def _end_thread(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _sample(self, stop: threading.Event) -> None:
        """Sample at fixed times: a late sample does not delay later ones, and the last follows the window's end."""
        due = time.monotonic()
        while True:
            before_ns = time.monotonic_ns()
            value = self.read_watts()
            after_ns = time.monotonic_ns()
            if value.value is None:
                self._failures.append(value.reason)
            else:
                self._samples.append(PowerSample((before_ns + after_ns) // 2, value.value))
            if stop.is_set():
                return
            due = max(due + self.interval_seconds, time.monotonic())
            stop.wait(due - time.monotonic())
