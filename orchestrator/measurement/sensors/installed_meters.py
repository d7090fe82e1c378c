"""Meters of installed Python packages: entry points of the group ``ciphermark.meters`` (docs/measurement.md).

An entry point names a callable ``find(roots) -> Sequence[EnergyMeter]``. It is code that the machine's owner has
installed; what goes wrong in it is the reason of an absent value here, and never ends a run.
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
    """A meter of somebody else's code: its errors and impossible values become reasons."""

    inner: EnergyMeter
    package: str
    _refusal: str = ""

    @property
    def name(self) -> str:
        """The meter's own name."""
        return str(self.inner.name)

    @property
    def source(self) -> str:
        """The meter's own words, and the package."""
        return f"{self.inner.source} (package {self.package})"

    @property
    def resolution_joules(self) -> float | None:
        """The meter's own word."""
        return self.inner.resolution_joules

    def begin(self) -> None:
        """Begin the window."""
        self._refusal = self._guarded(self.inner.begin)

    def end(self) -> EnergyReading:
        """End the window; refuses what no energy can be."""
        readings: list[EnergyReading] = []
        failed = self._refusal or self._guarded(lambda: readings.append(self.inner.end()))
        if failed:
            return EnergyReading(None, readings[0].window_ns if readings else 0, failed)
        joules = readings[0].joules
        if joules is not None and not (math.isfinite(joules) and joules >= 0):
            return EnergyReading(None, readings[0].window_ns, f"{self.name} says {joules!r} J: 0 or more is possible")
        return readings[0]

    def close(self) -> None:
        """Close it."""
        self._guarded(self.inner.close)

    def _guarded(self, action: Callable[[], object]) -> str:
        try:
            action()
        except Exception as error:  # Anybody's code: this is the outermost loop around it.
            return f"{self.package}: {type(error).__name__}: {error}"
        return ""


def find(roots: Roots) -> Found:
    """Return the meters of every installed package that offers some."""
    points = entry_points(group=GROUP)
    if not points:
        return Found(absent=f"no installed package has an entry point of the group {GROUP}", rank=10)
    meters: list[GuardedMeter] = []
    refusals: list[str] = []
    for point in points:
        try:
            meters += [GuardedMeter(meter, point.name) for meter in _load(point)(roots)]
        except Exception as error:  # Likewise.
            refusals.append(f"{point.name} ({point.value}): {type(error).__name__}: {error}")
    absent = "; ".join(refusals) or ("" if meters else f"{', '.join(sorted(points.names))} found no meter here")
    return Found(meters=tuple(meters), absent=absent, rank=10)


def _load(point: EntryPoint) -> Callable[[Roots], Sequence[EnergyMeter]]:
    loaded: Callable[[Roots], Sequence[EnergyMeter]] = point.load()
    return loaded
