"""Numbers out of the kernel's small files: what is no number, or cannot be true, is absent with the reason."""

import errno
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.sensors.base import SensorValue

_GONE = (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR)
_STUCK_READINGS = 360
"""An hour of the time line at its default interval: a zone of a real machine has moved by then."""


@dataclass(frozen=True)
class Limits:
    """What a quantity can be at all, in its own unit, both ends included."""

    low: float
    high: float
    unit: str


def read_number(path: Path, remedy: str = "") -> SensorValue:
    """Return the one decimal number that a kernel file holds, unscaled.

    remedy: what to do where this user may not read it; it follows the reason. Never raises.
    """
    try:
        text = _where_it_is(path).read_text(errors="replace").strip("\0 \n\t")
    except OSError as error:
        return SensorValue(None, reason_of(error, path, remedy))
    if not text:
        return SensorValue(None, f"{path} is empty")
    try:
        value = float(text)
    except ValueError:
        return SensorValue(None, f"{path} holds no number: {text[:40]!r}")
    if not math.isfinite(value):
        return SensorValue(None, f"{path} holds {text[:40]!r}, which is no finite number")
    return SensorValue(value)


def _where_it_is(path: Path) -> Path:
    """Return the path, or that of the same device's file when hwmon has numbered the device anew.

    A device has its hwmon folder below its own (``…/1-0040/hwmon/hwmon2``); in ``class/hwmon`` another device may have
    got the number.
    """
    numbered = path.parent.parent
    if path.exists() or numbered.name != "hwmon" or numbered.parent.name == "class":
        return path
    return next(numbered.glob(f"hwmon*/{path.name}"), path)


def reason_of(error: OSError, path: Path, remedy: str = "") -> str:
    """Say in one sentence why a file could not be read."""
    if error.errno in _GONE:
        return f"{path} is gone: {error.strerror}"
    if isinstance(error, PermissionError):
        return f"{path} may not be read by this user" + (f": {remedy}" if remedy else "")
    return f"{path} could not be read: {error.strerror or error}"


def within(value: SensorValue, limits: Limits, source: object) -> SensorValue:
    """Return the value if it can be true; else none, with what was seen and what is possible."""
    if value.value is None or limits.low <= value.value <= limits.high:
        return value
    seen = f"{value.value:g} {limits.unit}"
    return SensorValue(None, f"{source} says {seen}, possible is {limits.low:g} to {limits.high:g} {limits.unit}")


@dataclass
class FileSensor:
    """A number in one file of the kernel, opened anew for each reading, so that it comes back when the device does."""

    name: str
    unit: str
    path: Path
    scale: float
    """Of the file's number to the unit."""
    limits: Limits
    step: str
    """The smallest step that the source can show, in words."""
    quick: bool = True
    moves: bool = False
    """The quantity of a real device is never the same for an hour; the resolution then says that it is stuck."""
    _last: float | None = None
    _same: int = 0

    @property
    def source(self) -> str:
        """The file."""
        return str(self.path)

    @property
    def resolution(self) -> str:
        """The smallest step; and that the value has not moved, where it should have."""
        if self.moves and self._same >= _STUCK_READINGS:
            return f"{self.step}; the same value in the last {self._same} readings: it may be stuck"
        return self.step

    def read(self) -> SensorValue:
        """Read the file again."""
        raw = read_number(self.path)
        if raw.value is None:
            return raw
        value = within(SensorValue(raw.value * self.scale), self.limits, self.path)
        self._same = self._same + 1 if value.value == self._last else 1
        self._last = value.value
        return value

    def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True)
class AskedSensor:
    """A sensor that is a question: to a chip, to the firmware, to several files."""

    name: str
    unit: str
    source: str
    resolution: str
    ask: Callable[[], SensorValue]
    quick: bool = False

    def read(self) -> SensorValue:
        """Ask again."""
        return self.ask()

    def close(self) -> None:
        """Nothing is open."""


def place(text: str) -> str:
    """Return text as the place of a sensor's name: printable ASCII, one space between words, at most 36 characters."""
    return re.sub(r"[^!-~]+", " ", text).strip()[:36] or "unnamed"


def distinct(names: Iterable[str]) -> list[str]:
    """Return the names with a number behind each that was there before: ``acpitz``, ``acpitz 2``."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return result


def folders(parent: Path, pattern: str) -> list[Path]:
    """Return the folders of that pattern in the order of their numbers: ``hwmon2`` before ``hwmon10``."""

    def key(path: Path) -> list[int | str]:
        return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.name)]

    return sorted(parent.glob(pattern), key=key)
