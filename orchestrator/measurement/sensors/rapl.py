"""RAPL: energy counters of Intel and AMD processors, read from the kernel's powercap files.

Source: Linux documentation, power/powercap; drivers/powercap/intel_rapl_common.c; Khan et al., RAPL in Action (2018).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.sensors.base import EnergyReading, Found, NothingOpen, SensorValue
from orchestrator.measurement.sensors.reading import folders, place, read_number
from orchestrator.shared.errors import NoData

KIND = "rapl"
_DOMAINS = ("psys", "package", "core", "uncore", "dram")
"""Domains, that of the whole platform first; package names have a number: ``package-0``."""
_COUNTER_STEPS = 2**32 - 1
"""Steps of the 32-bit register in max_energy_range_uj."""
_UPDATE_SECONDS = 0.001
"""Interval at which the counters are updated, about."""
_MAX_WATTS = 1000.0
"""Power of a domain without a known limit: more than any processor draws."""
_OVER_LIMIT = 2.0
"""Factor by which short peaks exceed the limit that the kernel reports."""
_REMEDY = "only root may since CVE-2020-8694; sudo chmod a+r {} helps until the next boot"


@dataclass(frozen=True)
class Zone:
    """Counter of one domain."""

    folder: Path
    name: str
    range_microjoules: int
    max_watts: float

    @property
    def unit_joules(self) -> float:
        """Step of the counter: 61 µJ on most Intel processors, 15 µJ on most AMD ones."""
        return self.range_microjoules * 1e-6 / _COUNTER_STEPS

    def read_microjoules(self) -> int:
        """Return the counter's value; raises NoData with the reason."""
        path = self.folder / "energy_uj"
        value = read_number(path, _REMEDY.format(path))
        if value.value is None:
            raise NoData(value.reason)
        if not 0 <= value.value <= self.range_microjoules:
            raise NoData(f"{path} reads {value.value:g} µJ, its range is 0 to {self.range_microjoules}")
        return int(value.value)


def unwrapped_microjoules(begin: int, end: int, range_microjoules: int) -> int:
    """Return the difference of a counter that wraps to 0 at its range, at most once; never negative."""
    return end - begin if end >= begin else end - begin + range_microjoules


def difference_joules(zone: Zone, begin: int, end: int, window_ns: int) -> float:
    """Return the energy between two readings of the counter, in joules.

    Raises NoData if the counter may have wrapped more than once in the window, did not change, or changed by more than
    the domain can draw (after a reset or an unnoticed wrap).
    """
    seconds = window_ns / 1e9
    max_seconds = zone.range_microjoules * 1e-6 / zone.max_watts
    if seconds > max_seconds:
        raise NoData(
            f"{zone.name} wraps within {max_seconds:.0f} s at {zone.max_watts:.0f} W, and the window has "
            f"{seconds:.0f} s: measure shorter windows"
        )
    joules = unwrapped_microjoules(begin, end, zone.range_microjoules) * 1e-6
    if joules == 0:
        raise NoData(f"{zone.name} did not change within {seconds:.3g} s: it is stuck, or the window is too short")
    max_joules = zone.max_watts * (seconds + 2 * _UPDATE_SECONDS)
    if joules > max_joules:
        raise NoData(
            f"{zone.name} rose by {joules:.3g} J in {seconds:.3g} s, at most {max_joules:.3g} J is possible: reset?"
        )
    return joules


@dataclass
class RaplMeter(NothingOpen):
    """Meter of one domain: the counters' differences, summed over the processor's packages."""

    name: str
    zones: Sequence[Zone]
    _begun: tuple[int, list[int]] | None = None
    _refusal: str = "the window was not begun"
    _resolution_joules: float | None = None

    @property
    def source(self) -> str:
        """Paths of the counters."""
        return " + ".join(f"{zone.folder}/energy_uj" for zone in self.zones) + ", difference, unwrapped"

    @property
    def resolution_joules(self) -> float | None:
        """Step of the counters; after a window, the energy of one update interval if that is more."""
        return self._resolution_joules or sum(zone.unit_joules for zone in self.zones)

    def begin(self) -> None:
        """Read the counters at the begin of a window."""
        try:
            self._begun = (time.monotonic_ns(), [zone.read_microjoules() for zone in self.zones])
        except NoData as error:
            self._begun, self._refusal = None, str(error)

    def end(self) -> EnergyReading:
        """Read the counters again and return the energy of the window."""
        if self._begun is None:
            return EnergyReading(None, 0, self._refusal)
        (begin_ns, begun), self._begun = self._begun, None
        self._refusal = "the window was not begun"
        try:
            ended = [zone.read_microjoules() for zone in self.zones]
            window_ns = time.monotonic_ns() - begin_ns
            joules = sum(
                difference_joules(zone, one, two, window_ns)
                for zone, one, two in zip(self.zones, begun, ended, strict=True)
            )
        except NoData as error:
            return EnergyReading(None, time.monotonic_ns() - begin_ns, str(error))
        unit_joules = sum(zone.unit_joules for zone in self.zones)
        self._resolution_joules = max(unit_joules, joules / (window_ns / 1e9) * _UPDATE_SECONDS)
        return EnergyReading(joules, window_ns)


@dataclass
class RaplPower(NothingOpen):
    """Mean power since the previous reading, for the time line."""

    name: str
    zone: Zone
    unit: str = "W"
    quick: bool = True
    _before: tuple[int, int] | None = None

    @property
    def source(self) -> str:
        """Path of the counter."""
        return f"{self.zone.folder}/energy_uj, difference to the previous reading, divided by the time between them"

    @property
    def resolution(self) -> str:
        """Step of the counter, divided by the time between two readings."""
        return f"{self.zone.unit_joules:.3g} J divided by the time between two readings"

    def read(self) -> SensorValue:
        """Return the mean power since the previous reading."""
        before, self._before = self._before, None
        try:
            now = self._before = (time.monotonic_ns(), self.zone.read_microjoules())
            if before is None:
                return SensorValue(None, "the first reading of a counter gives no power; the next one does")
            window_ns = now[0] - before[0]
            joules = difference_joules(self.zone, before[1], now[1], window_ns)
        except NoData as error:
            return SensorValue(None, str(error))
        return SensorValue(joules / (window_ns / 1e9))


def find(roots: Roots) -> Found:
    """Return one meter per domain, the platform's first, and one power sensor per package."""
    folder = roots.sys / "class/powercap"
    candidates = folders(folder, "intel-rapl:*") or folders(folder, "intel-rapl-mmio:*")
    if not candidates:
        return Found(absent=f"no intel-rapl in {folder}: no such counter, or a virtual machine that hides it")
    zones, refusals = [], []
    for candidate in candidates:
        try:
            zones.append(_zone(candidate))
        except NoData as error:
            refusals.append(str(error))
    by_domain = {domain: [zone for zone in zones if _domain(zone) == domain] for domain in _DOMAINS}
    meters = tuple(RaplMeter(_meter_name(of_one), of_one) for of_one in by_domain.values() if of_one)
    powers = tuple(
        RaplPower(f"power_watts {place(f'rapl-{zone.name}')}", zone)
        for zone in by_domain["package"] + by_domain["psys"]
    )
    return Found(powers, meters, refusals[0] if refusals else "", rank=40)


def _zone(folder: Path) -> Zone:
    """Return the counter in a folder; raises NoData if it cannot be read."""
    reach = read_number(folder / "max_energy_range_uj")
    if reach.value is None or reach.value <= 0:
        raise NoData(reach.reason or f"{folder}/max_energy_range_uj must be more than 0, got {reach.value:g}")
    limits = [
        value
        for path in folders(folder, "constraint_*_max_power_uw") + folders(folder, "constraint_*_power_limit_uw")
        if (value := read_number(path).value) is not None
    ]
    highest = max(limits, default=0.0) * 1e-6 * _OVER_LIMIT
    usable = highest if 1.0 <= highest <= _MAX_WATTS else _MAX_WATTS
    zone = Zone(folder, _full_name(folder), int(reach.value), usable)
    zone.read_microjoules()
    return zone


def _full_name(folder: Path) -> str:
    """Return ``package-0``, and ``package-0 core`` for a domain inside one."""
    name = read_text(folder / "name") or folder.name
    parts = folder.name.split(":")
    if len(parts) < 3:
        return name
    parent = read_text(folder.with_name(":".join(parts[:-1])) / "name") or parts[-2]
    return f"{parent} {name}"


def _domain(zone: Zone) -> str:
    return zone.name.split(" ")[-1].partition("-")[0]


def _meter_name(zones: Sequence[Zone]) -> str:
    return "rapl " + " + ".join(zone.name for zone in zones)
