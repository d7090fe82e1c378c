"""Throttling bits of a Raspberry Pi: limits that its firmware applies now and has applied since boot."""

import re
from functools import partial
from pathlib import Path

from orchestrator.measurement.machine.roots import Roots, read_text
from orchestrator.measurement.sensors.base import Found, SensorValue
from orchestrator.measurement.sensors.firmware import Firmware, find_firmware
from orchestrator.measurement.sensors.reading import FunctionSensor, folders, read_number, reason_of
from orchestrator.shared.errors import NoData

KIND = "throttling"

NOW = {0: "under-voltage", 1: "frequency capped", 2: "throttled", 3: "soft temperature limit"}
"""Bits of the current state; 16 bits higher, the same since boot. Source: Raspberry Pi documentation, get_throttled."""
SINCE_START_BIT = 16
_KNOWN_BITS = sum(1 << bit | 1 << bit + SINCE_START_BIT for bit in NOW)

_FILES = ("devices/platform/*firmware*/get_throttled", "devices/platform/soc*/*firmware*/get_throttled")
"""``soc/soc:firmware`` up to the Pi 4, ``soc@107c000000/…`` on a Pi 5."""


def throttled_now(bits: float | None) -> list[str]:
    """Return the names of the limits that apply now; none without a reading."""
    return [] if bits is None else [name for bit, name in NOW.items() if int(bits) >> bit & 1]


def find(roots: Roots) -> Found:
    """Return one sensor: the kernel's file, the firmware, or only the under-voltage alarm."""
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
    """Return the bits in ``50005`` (hexadecimal without prefix, in the kernel's file) or ``throttled=0x50005``."""
    found = re.fullmatch(r"(?:throttled=)?(?:0x)?([0-9a-fA-F]{1,8})", text.strip("\0 \n\t"))
    if found is None:
        return SensorValue(None, f"{source} must contain hexadecimal throttling bits, got {text[:40]!r}")
    bits = int(found[1], 16)
    if bits & ~_KNOWN_BITS:
        return SensorValue(None, f"{source} reads {bits:#x}, which has bits beyond {_KNOWN_BITS:#x}")
    return SensorValue(float(bits))


def _sensor(where: str, source: str, read_value: "partial[SensorValue]", quick: bool) -> FunctionSensor:
    return FunctionSensor(f"throttled_bits {where}", "1", source, "one bit per cause", read_value, quick)


def _of_file(path: Path) -> SensorValue:
    try:
        return parse_bits(path.read_text(errors="replace"), path)
    except OSError as error:
        return SensorValue(None, reason_of(error, path))


def _of(firmware: Firmware) -> SensorValue:
    try:
        return parse_bits(firmware.query("get_throttled"), firmware.source)
    except NoData as error:
        return SensorValue(None, str(error))


def _alarm(roots: Roots, why_no_bits: str) -> Found:
    """Return a sensor of the raspberrypi-hwmon driver, which reports only under-voltage, or the reason for none."""
    for folder in folders(roots.sys / "class/hwmon", "hwmon*"):
        path = folder / "in0_lcrit_alarm"
        if read_text(folder / "name") == "rpi_volt" and path.exists():
            source = f"{path}: only under-voltage, within the last 2 s; other bits are not available"
            return Found((_sensor("rpi_volt", source, partial(_of_alarm, path), quick=True),))
    return Found(absent=why_no_bits)


def _of_alarm(path: Path) -> SensorValue:
    value = read_number(path)
    if value.value is not None and value.value not in (0.0, 1.0):
        return SensorValue(None, f"{path} must be 0 or 1, got {value.value:g}")
    return value
