"""Energy by sampling a power at the source's own rate, in a thread, and integrating it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from orchestrator.measurement.sensors.base import EnergyReading, PowerSample, SensorValue
from orchestrator.measurement.sensors.integral import Window, integrate_power

_GAP_INTERVALS = 5
_LEAST_GAP_NS = 500_000_000
"""A thread that the system kept waiting for this long has missed nothing that matters in windows of seconds."""


@dataclass
class SampledPowerMeter:
    """An EnergyMeter over a power that can be read at any time.

    The thread that samples inherits the cores of the one that calls ``begin``: that one has left the measured core.
    """

    name: str
    source: str
    read_watts: Callable[[], SensorValue]
    interval_seconds: float
    step_watts: float | None
    """Smallest difference of two powers; None where unknown."""
    must_move: bool = False
    """Many converters add up to it: the same to the last digit again and again is a source that is stuck."""
    _samples: list[PowerSample] = field(default_factory=list)
    _refused: list[str] = field(default_factory=list)
    _begin_ns: int | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def resolution_joules(self) -> float | None:
        """One step of one sample, held for one interval."""
        return None if self.step_watts is None else self.step_watts * self.interval_seconds

    def begin(self) -> None:
        """Sample from now on."""
        self._end_thread()
        self._samples, self._refused, self._stop = [], [], threading.Event()
        self._begin_ns = time.monotonic_ns()
        self._thread = threading.Thread(target=self._sample, args=(self._stop,), name="power", daemon=True)
        self._thread.start()

    def end(self) -> EnergyReading:
        """Take one more sample, and integrate."""
        end_ns = time.monotonic_ns()
        if self._begin_ns is None:
            return EnergyReading(None, 0, "the window was never begun")
        begin_ns, self._begin_ns = self._begin_ns, None
        self._end_thread()
        gap_ns = max(int(_GAP_INTERVALS * self.interval_seconds * 1e9), _LEAST_GAP_NS)
        reading = integrate_power(self._samples, Window(begin_ns, end_ns, gap_ns))
        if reading.joules is None and self._refused:
            told = f"{reading.reason}; {len(self._refused)} samples were refused, the last: {self._refused[-1]}"
            return EnergyReading(None, reading.window_ns, told)
        powers = {sample.watts for sample in reading.samples}
        if self.must_move and len(powers) == 1 and len(reading.samples) >= 10:
            told = f"{len(reading.samples)} samples are the same to the last digit: the source is stuck"
            return EnergyReading(None, reading.window_ns, told)
        return reading

    def close(self) -> None:
        """End the thread."""
        self._end_thread()

    def _end_thread(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _sample(self, stop: threading.Event) -> None:
        """Sample at fixed moments; a late sample moves none of the later ones, and the last one comes after the end."""
        due = time.monotonic()
        while True:
            asked_ns = time.monotonic_ns()
            value = self.read_watts()
            told_ns = time.monotonic_ns()
            if value.value is None:
                self._refused.append(value.reason)
            else:
                self._samples.append(PowerSample((asked_ns + told_ns) // 2, value.value))
            if stop.is_set():
                return
            due = max(due + self.interval_seconds, time.monotonic())
            stop.wait(due - time.monotonic())
