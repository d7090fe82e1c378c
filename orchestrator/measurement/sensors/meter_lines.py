"""Parser of the lines that a user's own meter prints: one JSON object per reading."""

import json
import math
from dataclasses import dataclass
from typing import Literal

MAX_LINE_BYTES = 4096
_EXPECTED = 'one JSON object like {"watts": 3.21} or {"joules": 1234.5}, with "at_ns" if the program knows it'
_AHEAD_NS = 1_000_000_000
"""Tolerance for a reading whose time is after its arrival."""


@dataclass(frozen=True)
class MeterLine:
    """One reading of the user's meter."""

    quantity: Literal["watts", "joules"]
    """Power, or an energy counter."""
    value: float
    at_ns: int
    """Time on CLOCK_MONOTONIC: the program's, or that of the line's arrival."""


def parse_line(line: bytes, arrived_ns: int) -> MeterLine:
    """Return the reading in a line; raises ValueError for any other line."""
    if len(line) > MAX_LINE_BYTES:
        raise ValueError(f"a line of more than {MAX_LINE_BYTES} bytes, expected {_EXPECTED}")
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise ValueError(f"expected {_EXPECTED}, got {line[:80]!r}")
    unknown = set(document) - {"watts", "joules", "at_ns"}
    if unknown or ("watts" in document) == ("joules" in document):
        raise ValueError(f"expected {_EXPECTED}, got the keys {sorted(document)}")
    quantity: Literal["watts", "joules"] = "watts" if "watts" in document else "joules"
    return MeterLine(quantity, _value(document[quantity], quantity), _time(document.get("at_ns"), arrived_ns))


def _value(value: object, quantity: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{quantity} must be a number, got {str(value)[:40]!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"{quantity} must be a finite number, 0 or more, got {number!r}: is the meter reversed?")
    return number


def _time(at_ns: object, arrived_ns: int) -> int:
    if at_ns is None:
        return arrived_ns
    if isinstance(at_ns, bool) or not isinstance(at_ns, int):
        raise ValueError(f"at_ns must be an integer in ns on CLOCK_MONOTONIC, got {str(at_ns)[:40]!r}")
    if not 0 <= at_ns <= arrived_ns + _AHEAD_NS:
        raise ValueError(f"at_ns must not be after {arrived_ns}, got {at_ns}: is it CLOCK_MONOTONIC in ns?")
    return at_ns
