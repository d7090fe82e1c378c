"""Power chip of a Raspberry Pi 5: voltage and current of its rails, from ``vcgencmd pmic_read_adc``."""

import re
from dataclasses import dataclass
from functools import partial

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.sensors.base import Found, SensorValue
from orchestrator.measurement.sensors.firmware import Firmware, find_firmware
from orchestrator.measurement.sensors.reading import FunctionSensor, ValueRange, within
from orchestrator.measurement.sensors.sampled_power import SampledPowerMeter
from orchestrator.shared.errors import NoData

KIND = "pmic"
_COMMAND = "pmic_read_adc"
_LINE = re.compile(r"(?P<rail>\S+)_(?P<kind>[AV])\s+(?:current|volt)\(\d+\)=(?P<value>\S+?)[AV]")
_VOLTS = ValueRange(0.0, 30.0, "V")
_AMPERES = ValueRange(0.0, 30.0, "A")
_INTERVAL_SECONDS = 0.1
"""Interval of samples. The chip converts two dozen channels in turn; more frequent readings repeat the values."""
_STEP_WATTS = 0.001
"""Step of the power: that of a current (0.06 to 1 mA in published listings) times the core's 0.7 to 1 V."""


@dataclass(frozen=True)
class Rail:
    """Output of the chip; None for a value without converter (the 5 V input has no current)."""

    volts: float | None
    amperes: float | None


def parse_rails(text: str) -> dict[str, Rail]:
    """Return the rails by name (``VDD_CORE``); raises NoData for unexpected text or impossible values."""
    values: dict[str, dict[str, float]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        found = _LINE.fullmatch(line)
        if found is None:
            raise NoData(f"{_COMMAND} must print lines like 'VDD_CORE_A current(7)=1.2A', got {line[:60]!r}")
        values.setdefault(found["rail"], {})[found["kind"]] = _checked(found["value"], found["kind"], line)
    if not values:
        raise NoData(f"{_COMMAND} printed nothing")
    return {name: Rail(of_rail.get("V"), of_rail.get("A")) for name, of_rail in values.items()}


def power_watts(rails: dict[str, Rail]) -> dict[str, float]:
    """Return the power of each rail that has volts and amperes."""
    return {
        name: rail.volts * rail.amperes
        for name, rail in rails.items()
        if rail.volts is not None and rail.amperes is not None
    }


def find(roots: Roots) -> Found:
    """Return sensors of the power of all rails and of the input voltage, and a meter of the power."""
    try:
        firmware = find_firmware(roots)
        rails = parse_rails(firmware.query(_COMMAND))
    except NoData as error:
        return Found(absent=f"{_COMMAND} (Raspberry Pi 5): {error}")
    with_power = frozenset(power_watts(rails))
    if not with_power:
        return Found(absent=f"{_COMMAND} has no rail with volts and amperes, only {', '.join(sorted(rails))}")

    watts = partial(_total, firmware, with_power)
    source = (
        f"{_COMMAND}, {firmware.source}: volts × amperes of {len(with_power)} rails behind the power chip. "
        "The 5 V input has no current converter: USB ports, HATs and the chip's own loss are not included"
    )
    step = f"about {_STEP_WATTS:g} W"
    sensors = [FunctionSensor("power_watts pmic-rails", "W", source, step, watts)]
    if rails.get("EXT5V") is not None:
        step = "about 1 mV"
        sensors.append(
            FunctionSensor(
                "voltage_volts EXT5V", "V", f"{_COMMAND}, {firmware.source}", step, partial(_input, firmware)
            )
        )
    meter = SampledPowerMeter(
        name=f"pmic, {len(with_power)} rails",
        source=f"{source}; power samples, trapezoids",
        read_watts=watts,
        interval_seconds=_INTERVAL_SECONDS,
        step_watts=_STEP_WATTS,
        must_move=True,
    )
    return Found(tuple(sensors), (meter,), rank=30)


def _checked(text: str, kind: str, line: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise NoData(f"{_COMMAND} printed {line[:60]!r}, which has no number") from error
    checked = within(SensorValue(value), _AMPERES if kind == "A" else _VOLTS, f"{_COMMAND}: {line[:40]}")
    if checked.value is None:
        raise NoData(checked.reason)
    return value


def _total(firmware: Firmware, expected: frozenset[str]) -> SensorValue:
    """Return the sum over the rails; absent if the rails differ from the expected ones."""
    try:
        powers = power_watts(parse_rails(firmware.query(_COMMAND)))
    except NoData as error:
        return SensorValue(None, str(error))
    if powers.keys() != expected:
        changed = ", ".join(sorted(expected ^ powers.keys()))
        return SensorValue(None, f"{_COMMAND} has different rails than at the start: {changed}")
    return SensorValue(sum(powers.values()))


def _input(firmware: Firmware) -> SensorValue:
    try:
        rail = parse_rails(firmware.query(_COMMAND)).get("EXT5V")
    except NoData as error:
        return SensorValue(None, str(error))
    if rail is None or rail.volts is None:
        return SensorValue(None, f"{_COMMAND} no longer has EXT5V")
    return SensorValue(rail.volts)
