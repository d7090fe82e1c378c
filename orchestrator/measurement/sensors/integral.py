"""Energy from readings at irregular times, as pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from orchestrator.measurement.sensors.base import EnergyReading, PowerSample

MIN_READINGS = 3
"""Minimum number of readings in a window."""
_GAP_INTERVALS = 5
_MIN_GAP_NS = 500_000_000
"""Tolerated gap between samples if the interval is short: a delayed thread misses little in windows of seconds."""


@dataclass(frozen=True)
class Window:
    """Interval on CLOCK_MONOTONIC."""

    begin_ns: int
    end_ns: int
    max_gap_ns: int
    """Maximum gap between two readings, and between a reading and an end of the window."""

    @classmethod
    def of(cls, begin_ns: int, end_ns: int, interval_ns: float) -> "Window":
        """Return a window whose readings have this interval."""
        return cls(begin_ns, end_ns, max(int(_GAP_INTERVALS * interval_ns), _MIN_GAP_NS))

    @property
    def length_ns(self) -> int:
        """Length of the window."""
        return self.end_ns - self.begin_ns


def integrate_power(samples: Sequence[PowerSample], window: Window) -> EnergyReading:
    """Return the integral of power over the window, by trapezoids, in joules.

    samples: in the order of their times; those outside the window are used to interpolate at its ends. Without them,
    the first and the last power are extended to the ends, over at most the maximum gap.
    Absent, with the reason: fewer than 3 samples within the window, or too long a gap.
    """
    inside = [sample for sample in samples if window.begin_ns <= sample.at_ns <= window.end_ns]
    refusal = _refusal([sample.at_ns for sample in inside], window)
    if refusal:
        return EnergyReading(None, window.length_ns, refusal)
    before = [sample for sample in samples if sample.at_ns < window.begin_ns][-1:]
    after = [sample for sample in samples if sample.at_ns > window.end_ns][:1]
    left = _power_at(window.begin_ns, [*before, inside[0]], window)
    right = _power_at(window.end_ns, [*after, inside[-1]], window)
    curve = [left, *inside, right]
    joules = sum((one.watts + two.watts) / 2 * (two.at_ns - one.at_ns) / 1e9 for one, two in pairwise(curve))
    return EnergyReading(joules, window.length_ns, samples=tuple(inside))


@dataclass(frozen=True)
class CounterReading:
    """Value of an energy counter at one moment."""

    at_ns: int
    joules: float


def counter_difference(readings: Sequence[CounterReading], window: Window) -> EnergyReading:
    """Return the difference of a growing counter over the window, in joules.

    readings: in the order of their times. At both ends the counter is interpolated between the readings before and
    after. Absent, with the reason: no reading outside an end, fewer than 3 within the window, too long a gap, or a
    decreasing counter.
    """
    times_ns = [reading.at_ns for reading in readings if window.begin_ns <= reading.at_ns <= window.end_ns]
    refusal = _refusal(times_ns, window)
    if refusal:
        return EnergyReading(None, window.length_ns, refusal)
    if readings[0].at_ns > window.begin_ns or readings[-1].at_ns < window.end_ns:
        return EnergyReading(None, window.length_ns, "the counter was not read before and after the window")
    around = [
        reading
        for reading in readings
        if window.begin_ns - window.max_gap_ns <= reading.at_ns <= window.end_ns + window.max_gap_ns
    ]
    if any(two.joules < one.joules for one, two in pairwise(around)):
        return EnergyReading(None, window.length_ns, "the counter decreased within the window: it was reset")
    begin, end = (_counter_at(moment, around) for moment in (window.begin_ns, window.end_ns))
    if begin is None or end is None:
        gap = window.max_gap_ns / 1e9
        return EnergyReading(None, window.length_ns, f"the counter was not read within {gap:g} s of the window's ends")
    return EnergyReading(end - begin, window.length_ns)


def _refusal(times_ns: Sequence[int], window: Window) -> str:
    if len(times_ns) < MIN_READINGS:
        seconds = window.length_ns / 1e9
        return f"{len(times_ns)} readings within {seconds:.3g} s, at least {MIN_READINGS} are required: measure longer"
    edges = [window.begin_ns, *times_ns, window.end_ns]
    gap = max(two - one for one, two in pairwise(edges))
    if gap > window.max_gap_ns:
        return f"no reading for {gap / 1e9:.3g} s of the window, at most {window.max_gap_ns / 1e9:.3g} s is allowed"
    return ""


def _power_at(moment_ns: int, around: Sequence[PowerSample], window: Window) -> PowerSample:
    """Return the power at a moment, interpolated between two samples, or that of the only near one."""
    *outer, inner = around
    if not outer or abs(inner.at_ns - outer[0].at_ns) > window.max_gap_ns:
        return PowerSample(moment_ns, inner.watts)
    share = (moment_ns - inner.at_ns) / (outer[0].at_ns - inner.at_ns)
    return PowerSample(moment_ns, inner.watts + share * (outer[0].watts - inner.watts))


def _counter_at(moment_ns: int, readings: Sequence[CounterReading]) -> float | None:
    """Return the interpolated counter, or None if no two readings enclose the moment."""
    for one, two in pairwise(readings):
        if one.at_ns <= moment_ns <= two.at_ns:
            if two.at_ns == one.at_ns:
                return two.joules
            return one.joules + (moment_ns - one.at_ns) / (two.at_ns - one.at_ns) * (two.joules - one.joules)
    return None
