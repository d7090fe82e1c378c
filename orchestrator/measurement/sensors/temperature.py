"""Temperatures of the kernel's thermal zones and of the processors' own sensors in hwmon."""

from pathlib import Path

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.sensors.base import Found, Sensor
from orchestrator.measurement.sensors.reading import FileSensor, ValueRange, distinct, folders, place

KIND = "temperature"
POSSIBLE = ValueRange(-40.0, 150.0, "celsius")
"""Operating range of silicon; zones without a real sensor report -273 or 0xff."""

PROCESSOR_CHIPS = ("coretemp", "k10temp", "k8temp", "zenpower", "via_cputemp", "cpu_thermal")
"""hwmon devices in a processor, as opposed to those of disks, network cards and boards."""
_PROCESSOR_WORDS = ("cpu", "soc", "x86_pkg", "core", "package", "tctl", "tdie")


def find(roots: Roots) -> Found:
    """Return the zones and the processor's own sensors, those of the processor first."""
    zones = [zone for zone in folders(roots.sys / "class/thermal", "thermal_zone*") if (zone / "temp").exists()]
    # The kernel lists a zone in hwmon, too, with an underscore instead of the hyphen.
    zone_names = [read_text(zone / "type") or zone.name for zone in zones]
    shown = {name.replace("-", "_") for name in zone_names}
    chips = _chip_files(roots, shown)
    paths = [zone / "temp" for zone in zones] + [path for _, path in chips]
    names = distinct(place(name) for name in [*zone_names, *(name for name, _ in chips)])
    sensors = sorted(map(_sensor, names, paths), key=lambda sensor: not of_processor(sensor))
    where = f"{roots.sys}/class/thermal and {roots.sys}/class/hwmon"
    return Found(tuple(sensors), absent="" if sensors else f"no thermal zone and no sensor of a processor in {where}")


def of_processor(sensor: Sensor) -> bool:
    """Return whether a sensor's name is that of a processor; boards and network cards have zones, too."""
    _, _, where = sensor.name.lower().partition(" ")
    return any(word in where for word in _PROCESSOR_WORDS)


def _sensor(name: str, path: Path) -> FileSensor:
    return FileSensor(
        name=f"temperature_celsius {name}",
        unit="celsius",
        path=path,
        scale=0.001,
        limits=POSSIBLE,
        step="0.001 celsius in the file; the sensor's own step is 0.1 to 1 celsius on most processors",
        moves=True,
    )


def _chip_files(roots: Roots, shown: set[str]) -> list[tuple[str, Path]]:
    found = []
    for numbered in folders(roots.sys / "class/hwmon", "hwmon*"):
        folder = numbered.resolve()  # The device's own folder: hwmon numbers may change.
        chip = read_text(folder / "name") or ""
        if chip not in PROCESSOR_CHIPS or chip in shown:
            continue
        for path in folders(folder, "temp[0-9]*_input"):
            label = read_text(path.with_name(path.name.replace("_input", "_label")))
            found.append((f"{chip} {label or path.name.removesuffix('_input')}", path))
    return found
