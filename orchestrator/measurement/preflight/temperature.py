"""Temperature: near its limit a processor lowers its clock during the work."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import PreflightContext, Requirement, read_number
from orchestrator.measurement.sensors.temperature import PROCESSOR_CHIPS
from orchestrator.wire.health import PreflightResult

MARGIN_CELSIUS = 10.0
USUAL_LIMIT_CELSIUS = 80.0
"""Limit where the kernel names none: the firmware of a Raspberry Pi lowers the clock from here on. Source: Raspberry Pi
documentation, frequency management and thermal control."""
_SLOWING_TYPES = ("passive", "hot", "critical")
_PLAUSIBLE_CELSIUS = (-40.0, 150.0)


@dataclass(frozen=True)
class ThermalZone:
    """A temperature with the lowest limit that the kernel knows for it."""

    name: str
    celsius: float
    limit_celsius: float | None

    @property
    def slowing_celsius(self) -> float:
        """Temperature from which the clock is lowered, as far as it is known."""
        # At the trip point of a Pi the kernel switches it off; its firmware lowers the clock long before.
        if self.limit_celsius is None or self.name == "cpu-thermal":
            return min(self.limit_celsius or USUAL_LIMIT_CELSIUS, USUAL_LIMIT_CELSIUS)
        return self.limit_celsius

    @property
    def margin_celsius(self) -> float:
        """Difference to slowing_celsius."""
        return self.slowing_celsius - self.celsius


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Check the zone that is nearest to its limit."""
    requirement = Requirement("temperature", f"{MARGIN_CELSIUS:.0f} °C below the point where the clock is lowered")
    zones = [*_thermal_zones(roots.sys / "class/thermal"), *_monitors(roots.sys / "class/hwmon")]
    if not zones:
        return requirement.no_file(
            roots.sys / "class/thermal/thermal_zone*/temp", roots.sys / "class/hwmon/*/temp*_input"
        )
    nearest = min(zones, key=lambda zone: zone.margin_celsius)
    limit = nearest.slowing_celsius
    assumed = "" if limit == nearest.limit_celsius else ", where Raspberry Pis and many other devices lower their clock"
    found = f"{nearest.name} at {nearest.celsius:.1f} °C, {nearest.margin_celsius:.1f} °C below {limit:.0f} °C{assumed}"
    if nearest.margin_celsius >= MARGIN_CELSIUS:
        return requirement.good(found)
    return requirement.poor(found, "Let the device cool down; add a heat sink or a fan, or move it to a cooler place")


def _thermal_zones(folder: Path) -> Iterator[ThermalZone]:
    for path in sorted(folder.glob("thermal_zone*")):
        celsius = _celsius(path / "temp")
        if celsius is not None:
            limits = [
                _celsius(trip.with_name(trip.name.replace("_type", "_temp")))
                for trip in path.glob("trip_point_*_type")
                if read_text(trip) in _SLOWING_TYPES
            ]
            yield ThermalZone(read_text(path / "type") or path.name, celsius, min(filter(None, limits), default=None))


def _monitors(folder: Path) -> Iterator[ThermalZone]:
    for path in sorted(folder.glob("hwmon*/temp*_input")):
        celsius = _celsius(path)
        if celsius is not None:
            chip = read_text(path.parent / "name")
            if chip not in PROCESSOR_CHIPS:
                continue  # a disk or a network card, which may be as hot as it likes
            stem = path.name.removesuffix("_input")
            limits = [_celsius(path.with_name(f"{stem}_{kind}")) for kind in ("max", "crit")]
            yield ThermalZone(f"{chip} {stem}", celsius, min(filter(None, limits), default=None))


def _celsius(path: Path) -> float | None:
    """Return the temperature in a file of millidegrees, or None if it is missing or implausible for a processor."""
    value = read_number(path)
    if value is None:
        return None
    low, high = _PLAUSIBLE_CELSIUS
    return value / 1000 if low < value / 1000 < high else None
