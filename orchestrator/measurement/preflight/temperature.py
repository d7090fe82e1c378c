"""Temperature: near its limit a processor slows down in the middle of the work."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.preflight.base import Condition, PreflightContext, read_number
from orchestrator.wire.health import PreflightResult

ROOM_CELSIUS = 10.0
USUAL_LIMIT_CELSIUS = 80.0
"""Where the kernel names no limit: a Raspberry Pi's firmware begins to slow down here. Source: Raspberry Pi
documentation, frequency management and thermal control."""
_SLOWING = ("passive", "hot", "critical")
_PLAUSIBLE_CELSIUS = (-40.0, 150.0)


@dataclass(frozen=True)
class Zone:
    """One temperature and the lowest limit that the kernel knows for it."""

    name: str
    celsius: float
    limit_celsius: float | None

    @property
    def slowing_celsius(self) -> float:
        """Where the clock is lowered, as far as anybody tells."""
        # The trip point of a Pi is where the kernel switches it off; its firmware slows it down long before.
        if self.limit_celsius is None or self.name == "cpu-thermal":
            return min(self.limit_celsius or USUAL_LIMIT_CELSIUS, USUAL_LIMIT_CELSIUS)
        return self.limit_celsius

    @property
    def room_celsius(self) -> float:
        """What is left until there."""
        return self.slowing_celsius - self.celsius


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Look at the zone that is nearest to its limit."""
    condition = Condition("temperature", f"{ROOM_CELSIUS:.0f} °C below the point where the clock is lowered")
    zones = [*_thermal_zones(roots.sys / "class/thermal"), *_monitors(roots.sys / "class/hwmon")]
    if not zones:
        return condition.no_file(
            roots.sys / "class/thermal/thermal_zone*/temp", roots.sys / "class/hwmon/*/temp*_input"
        )
    nearest = min(zones, key=lambda zone: zone.room_celsius)
    limit = nearest.slowing_celsius
    assumed = "" if limit == nearest.limit_celsius else ", where Raspberry Pis and many others begin to slow down"
    found = f"{nearest.name} at {nearest.celsius:.1f} °C, {nearest.room_celsius:.1f} °C below {limit:.0f} °C{assumed}"
    if nearest.room_celsius >= ROOM_CELSIUS:
        return condition.good(found)
    return condition.poor(found, "Let it cool down; give it a heat sink, a fan, or a cooler place")


def _thermal_zones(folder: Path) -> Iterator[Zone]:
    for path in sorted(folder.glob("thermal_zone*")):
        celsius = _celsius(path / "temp")
        if celsius is not None:
            limits = [
                _celsius(trip.with_name(trip.name.replace("_type", "_temp")))
                for trip in path.glob("trip_point_*_type")
                if read_text(trip) in _SLOWING
            ]
            yield Zone(read_text(path / "type") or path.name, celsius, min(filter(None, limits), default=None))


def _monitors(folder: Path) -> Iterator[Zone]:
    for path in sorted(folder.glob("hwmon*/temp*_input")):
        celsius = _celsius(path)
        if celsius is not None:
            chip = read_text(path.parent / "name") or path.parent.name
            stem = path.name.removesuffix("_input")
            limits = [_celsius(path.with_name(f"{stem}_{kind}")) for kind in ("max", "crit")]
            yield Zone(f"{chip} {stem}", celsius, min(filter(None, limits), default=None))


def _celsius(path: Path) -> float | None:
    """Return the temperature of a file of millidegrees; None for what no processor survives or reaches."""
    value = read_number(path)
    if value is None:
        return None
    low, high = _PLAUSIBLE_CELSIUS
    return value / 1000 if low < value / 1000 < high else None
