"""Numbers from the kernel's small files; other content and impossible values are absent with a reason."""

import errno
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.sensors.base import NothingOpen, SensorValue

_GONE = (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR)
_STUCK_READINGS = 360
"""Readings after which an unchanged value counts as stuck: an hour of the time line at its default interval."""


@dataclass(frozen=True)
class ValueRange:
    """Possible values of a quantity, in its own unit, both ends included."""

    low: float
    high: float
    unit: str


def read_number(path: Path, remedy: str = "") -> SensorValue:
    """Return the decimal number in a kernel file, unscaled. Never raises.

    remedy: added to the reason if this user may not read the file.
    """
    try:
        text = _current_path(path).read_text(errors="replace").strip("\0 \n\t")
    except OSError as error:
        return SensorValue(None, reason_of(error, path, remedy))
    if not text:
        return SensorValue(None, f"{path} is empty")
    try:
        value = float(text)
    except ValueError:
        return SensorValue(None, f"{path} must contain a number, got {text[:40]!r}")
    if not math.isfinite(value):
        return SensorValue(None, f"{path} must contain a finite number, got {text[:40]!r}")
    return SensorValue(value)


def _current_path(path: Path) -> Path:
    """Return the path, or that of the same device's file after hwmon has renumbered the device.

    The hwmon folder of a device is below its own (``…/1-0040/hwmon/hwmon2``); in ``class/hwmon`` another device may
    have taken the number.
    """
    numbered = path.parent.parent
    if path.exists() or numbered.name != "hwmon" or numbered.parent.name == "class":
        return path
    return next(numbered.glob(f"hwmon*/{path.name}"), path)


def reason_of(error: OSError, path: Path, remedy: str = "") -> str:
    """Return why a file could not be read."""
    if error.errno in _GONE:
        return f"{path} does not exist: {error.strerror}"
    if isinstance(error, PermissionError):
        return f"{path} may not be read by this user" + (f": {remedy}" if remedy else "")
    return f"{path} could not be read: {error.strerror or error}"


def within(value: SensorValue, limits: ValueRange, source: object) -> SensorValue:
    """Return the value if it is within the limits; otherwise an absent one with the reason."""
    if value.value is None or limits.low <= value.value <= limits.high:
        return value
    seen = f"{value.value:g} {limits.unit}"
    return SensorValue(None, f"{source} reads {seen}, possible is {limits.low:g} to {limits.high:g} {limits.unit}")


def read_scaled(path: Path, scale: float, limits: ValueRange) -> SensorValue:
    """Return the number in a kernel file in the unit of the limits; a value outside of them is absent."""
    raw = read_number(path)
    return raw if raw.value is None else within(SensorValue(raw.value * scale), limits, path)


@dataclass
class FileSensor(NothingOpen):
    """Number in a kernel file, which is opened for each reading, so that a reconnected device is read again."""

    name: str
    unit: str
    path: Path
    scale: float
    """Factor from the file's number to the unit."""
    limits: ValueRange
    step: str
    """Smallest step that the source shows, as text."""
    quick: bool = True
    moves: bool = False
    """True for a quantity that changes on every real device; the resolution reports if it does not for an hour."""
    _last: float | None = None
    _same: int = 0

    @property
    def source(self) -> str:
        """Path of the file."""
        return str(self.path)

    @property
    def resolution(self) -> str:
        """Smallest step, and a note if a value that should change does not."""
        if self.moves and self._same >= _STUCK_READINGS:
            return f"{self.step}; the same value in the last {self._same} readings: it may be stuck"
        return self.step

    def read(self) -> SensorValue:
        """Return the current value in the file."""
        value = read_scaled(self.path, self.scale, self.limits)
        if value.value is None:
            return value
        self._same = self._same + 1 if value.value == self._last else 1
        self._last = value.value
        return value


@dataclass(frozen=True)
class FunctionSensor(NothingOpen):
    """Sensor whose value a function returns, from a chip, the firmware or several files."""

    name: str
    unit: str
    source: str
    resolution: str
    read_value: Callable[[], SensorValue]
    quick: bool = False

    def read(self) -> SensorValue:
        """Return the current value."""
        return self.read_value()


def place(text: str) -> str:
    """Return text as the place in a sensor's name: printable ASCII, single spaces, at most 36 characters."""
    return re.sub(r"[^!-~]+", " ", text).strip()[:36] or "unnamed"


def distinct(names: Iterable[str]) -> list[str]:
    """Return the names, with a number after each repeated one: ``acpitz``, ``acpitz 2``."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return result


def folders(parent: Path, pattern: str) -> list[Path]:
    """Return the folders that match the pattern, in numeric order: ``hwmon2`` before ``hwmon10``."""

    def key(path: Path) -> list[int | str]:
        return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.name)]

    return sorted(parent.glob(pattern), key=key)
