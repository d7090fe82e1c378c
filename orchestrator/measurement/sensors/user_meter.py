"""The user's own meter, a program that prints readings (CIPHERMARK_METER_COMMAND; docs/measurement.md)."""

import shlex
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.sensors.base import EnergyReading, Found, PowerSample, SensorValue
from orchestrator.measurement.sensors.integral import CounterReading, Window, counter_difference, integrate_power
from orchestrator.measurement.sensors.meter_program import MeterProgram

KIND = "user meter"
_FIRST_LINE_SECONDS = 5.0
"""Time for a program that has just started to print its first reading."""
_MAX_WAIT_SECONDS = 2.0
"""Time to wait for the reading after the end of a window."""
_FRESH_SECONDS = 10.0
"""Age up to which a reading counts as the current power."""


@dataclass
class UserPower:
    """Last power that the program printed, for the time line."""

    program: MeterProgram
    name: str = "power_watts user-meter"
    unit: str = "W"
    quick: bool = True
    """True, because the reading was received when the program printed it."""
    resolution: str = "as the program prints it"
    clock_ns: Callable[[], int] = time.monotonic_ns

    @property
    def source(self) -> str:
        """Command of the program."""
        return _source(self.program)

    def read(self) -> SensorValue:
        """Return the newest power; for an energy counter, the mean since the previous reading."""
        self.program.start()
        lines = self.program.lines()[-2:]
        if not lines or self.program.down:
            return SensorValue(None, _why_no_reading(self.program))
        age_seconds = (self.clock_ns() - lines[-1].at_ns) / 1e9
        if age_seconds > _FRESH_SECONDS:
            return SensorValue(None, f"the last reading of the user's meter is {age_seconds:.0f} s old")
        if lines[-1].quantity == "watts":
            return SensorValue(lines[-1].value)
        if len(lines) < 2:
            return SensorValue(None, "the first reading of a counter gives no power; the next one does")
        joules, seconds = lines[1].value - lines[0].value, (lines[1].at_ns - lines[0].at_ns) / 1e9
        if joules < 0:
            return SensorValue(None, "the counter of the user's meter decreased: it was reset")
        return SensorValue(joules / seconds)

    def close(self) -> None:
        """End the program."""
        self.program.close()


@dataclass
class UserMeter:
    """Energy meter on the program's output: power integrated by trapezoids, or the difference of a counter."""

    program: MeterProgram
    name: str = "user meter"
    resolution_joules: float | None = None
    """Always None, because the program does not report it."""
    clock_ns: Callable[[], int] = time.monotonic_ns
    _begin_ns: int | None = None

    @property
    def source(self) -> str:
        """Command, method, and the lines that could not be parsed."""
        return _source(self.program)

    def begin(self) -> None:
        """Begin the window, after the first reading of a program that has just started."""
        self.program.start()
        self.program.wait_for(0, _FIRST_LINE_SECONDS)
        self._begin_ns = self.clock_ns()

    def end(self) -> EnergyReading:
        """End the window, wait briefly for a reading after its end, and return the energy."""
        end_ns = self.clock_ns()
        if self._begin_ns is None:
            return EnergyReading(None, 0, "the window was not begun")
        begin_ns, self._begin_ns = self._begin_ns, None
        interval_ns = self.program.interval_ns()
        if interval_ns is None or self.program.down:
            return EnergyReading(None, end_ns - begin_ns, _why_no_reading(self.program))
        self.program.wait_for(end_ns, min(2 * interval_ns / 1e9 + 0.5, _MAX_WAIT_SECONDS))
        reading = self._over(Window.of(begin_ns, end_ns, interval_ns))
        if reading.joules is None:
            return EnergyReading(None, reading.window_ns, reading.reason + _bad_lines(self.program))
        return reading

    def close(self) -> None:
        """End the program."""
        self.program.close()

    def _over(self, window: Window) -> EnergyReading:
        lines = self.program.lines()
        if not lines:
            return EnergyReading(None, window.length_ns, _why_no_reading(self.program))
        if lines[-1].quantity == "joules":
            return counter_difference([CounterReading(line.at_ns, line.value) for line in lines], window)
        return integrate_power([PowerSample(line.at_ns, line.value) for line in lines], window)


def find(command: str | None) -> Found:
    """Return sensor and meter of the program in the setting, which the first reading starts."""
    if not command:
        return Found(absent="no CIPHERMARK_METER_COMMAND is set (docs/measurement.md, Sensors and energy)", rank=0)
    try:
        program = MeterProgram(command)
    except ValueError as error:
        return Found(absent=f"CIPHERMARK_METER_COMMAND {command[:80]!r} cannot be split: {error}", rank=0)
    name = program.arguments[0]
    if shutil.which(name) is None:
        kind = "is not executable" if Path(name).exists() else "is not found"
        return Found(absent=f"CIPHERMARK_METER_COMMAND names {name}, which {kind}", rank=0)
    return Found((UserPower(program),), (UserMeter(program),), rank=0)


def _source(program: MeterProgram) -> str:
    lines = program.lines()
    how = "counter difference" if lines and lines[-1].quantity == "joules" else "power samples, trapezoids"
    return f"{shlex.join(program.arguments)}: {how}{_bad_lines(program)}"


def _why_no_reading(program: MeterProgram) -> str:
    return (program.down or "the user's meter has printed no reading yet") + _bad_lines(program)


def _bad_lines(program: MeterProgram) -> str:
    bad = program.bad
    return f"; {bad.count} lines could not be parsed, the last: {bad.last}" if bad.count else ""
