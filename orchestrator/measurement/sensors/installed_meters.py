"""Meters of installed Python packages: entry points of the group ``ciphermark.meters`` (docs/measurement.md).

An entry point names a callable ``find(roots) -> Sequence[EnergyMeter]``. The machine's owner has installed this code;
its errors become reasons of absent values and never end a run.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.sensors.base import EnergyMeter, EnergyReading, Found

KIND = "installed meters"
GROUP = "ciphermark.meters"


@dataclass
class GuardedMeter:
    """Meter of an installed package, whose errors and impossible values become reasons."""

    inner: EnergyMeter
    package: str
    _refusal: str = ""

    @property
    def name(self) -> str:
        """Name of the meter."""
        return str(self.inner.name)

    @property
    def source(self) -> str:
        """Source that the meter reports, and the package."""
        return f"{self.inner.source} (package {self.package})"

    @property
    def resolution_joules(self) -> float | None:
        """Resolution that the meter reports."""
        return self.inner.resolution_joules

    def begin(self) -> None:
        """Begin the window."""
        self._refusal = self._guarded(self.inner.begin)

    def end(self) -> EnergyReading:
        """End the window and return its energy; an impossible value is absent with the reason."""
        readings: list[EnergyReading] = []
        failed = self._refusal or self._guarded(lambda: readings.append(self.inner.end()))
        if failed:
            return EnergyReading(None, readings[0].window_ns if readings else 0, failed)
        joules = readings[0].joules
        if joules is not None and not (math.isfinite(joules) and joules >= 0):
            return EnergyReading(None, readings[0].window_ns, f"{self.name} reported {joules!r} J, expected 0 or more")
        return readings[0]

    def close(self) -> None:
        """Close the meter."""
        self._guarded(self.inner.close)

    def _guarded(self, action: Callable[[], object]) -> str:
        try:
            action()
        except Exception as error:  # Code of another package may raise anything.
            return f"{self.package}: {type(error).__name__}: {error}"
        return ""


def find(roots: Roots) -> Found:
    """Return the meters of all installed packages."""
    points = entry_points(group=GROUP)
    if not points:
        return Found(absent=f"no installed package has an entry point of the group {GROUP}", rank=10)
    meters: list[GuardedMeter] = []
    refusals: list[str] = []
    for point in points:
        try:
            meters += [GuardedMeter(meter, point.name) for meter in _load(point)(roots)]
        except Exception as error:  # As above.
            refusals.append(f"{point.name} ({point.value}): {type(error).__name__}: {error}")
    absent = "; ".join(refusals) or ("" if meters else f"{', '.join(sorted(points.names))} found no meter here")
    return Found(meters=tuple(meters), absent=absent, rank=10)


def _load(point: EntryPoint) -> Callable[[Roots], Sequence[EnergyMeter]]:
    loaded: Callable[[Roots], Sequence[EnergyMeter]] = point.load()
    return loaded
