"""Throttling bits of a Raspberry Pi: what its firmware holds back now, and since the machine was started."""

import re
from functools import partial
from pathlib import Path

from orchestrator.errors import NoData
from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.sensors.base import Found, SensorValue
from orchestrator.measurement.sensors.firmware import Firmware, find_firmware
from orchestrator.measurement.sensors.reading import AskedSensor, folders, read_number, reason_of

KIND = "throttling"

NOW = {0: "under-voltage", 1: "frequency capped", 2: "throttled", 3: "soft temperature limit"}
"""Bits of this moment; the same 16 bits higher since start. Source: Raspberry Pi documentation, get_throttled."""
SINCE_START_BIT = 16
_KNOWN_BITS = sum(1 << bit | 1 << bit + SINCE_START_BIT for bit in NOW)

_FILES = ("devices/platform/*firmware*/get_throttled", "devices/platform/soc*/*firmware*/get_throttled")
"""``soc/soc:firmware`` up to the Pi 4, ``soc@107c000000/…`` on a Pi 5."""


def throttled_now(bits: float | None) -> list[str]:
    """Return in words what is held back at the moment; none for no reading."""
    return [] if bits is None else [words for bit, words in NOW.items() if int(bits) >> bit & 1]


def find(roots: Roots) -> Found:
    """Return one sensor: of the kernel's file, else of the firmware, else of the under-voltage alarm alone."""
    for pattern in _FILES:
        for path in folders(roots.sys, pattern):
            return Found((_sensor("firmware", str(path), partial(_of_file, path), quick=True),))
    try:
        firmware = find_firmware(roots)
    except NoData as error:
        return _alarm(roots, f"no get_throttled in {roots.sys}/devices/platform; {error}")
    source = f"get_throttled, {firmware.source}"
    return Found((_sensor("firmware", source, partial(_of, firmware), quick=firmware.device is not None),))


def parse_bits(text: str, source: object) -> SensorValue:
    """Parse ``50005`` (the kernel's file: hexadecimal without a prefix), ``0x50005`` or ``throttled=0x50005``."""
    found = re.fullmatch(r"(?:throttled=)?(?:0x)?([0-9a-fA-F]{1,8})", text.strip("\0 \n\t"))
    if found is None:
        return SensorValue(None, f"{source} says {text[:40]!r}, expected are hexadecimal throttling bits")
    bits = int(found[1], 16)
    if bits & ~_KNOWN_BITS:
        return SensorValue(None, f"{source} says {bits:#x}, which has bits beyond {_KNOWN_BITS:#x}")
    return SensorValue(float(bits))


def _sensor(where: str, source: str, ask: "partial[SensorValue]", quick: bool) -> AskedSensor:
    return AskedSensor(f"throttled_bits {where}", "1", source, "one bit a cause", ask, quick)


def _of_file(path: Path) -> SensorValue:
    try:
        return parse_bits(path.read_text(errors="replace"), path)
    except OSError as error:
        return SensorValue(None, reason_of(error, path))


def _of(firmware: Firmware) -> SensorValue:
    try:
        return parse_bits(firmware.ask("get_throttled"), firmware.source)
    except NoData as error:
        return SensorValue(None, str(error))


def _alarm(roots: Roots, why_no_bits: str) -> Found:
    """Fall back on the raspberrypi-hwmon driver: it sees under-voltage and nothing else."""
    for folder in folders(roots.sys / "class/hwmon", "hwmon*"):
        path = folder / "in0_lcrit_alarm"
        if read_text(folder / "name") == "rpi_volt" and path.exists():
            source = f"{path}: under-voltage alone, within the last 2 s; no other bit can be seen here"
            return Found((_sensor("rpi_volt", source, partial(_of_alarm, path), quick=True),))
    return Found(absent=why_no_bits)


def _of_alarm(path: Path) -> SensorValue:
    value = read_number(path)
    if value.value is not None and value.value not in (0.0, 1.0):
        return SensorValue(None, f"{path} says {value.value:g}, expected is 0 or 1")
    return value
