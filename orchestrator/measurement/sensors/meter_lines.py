"""What a user's own meter prints: one JSON line a reading; pure."""

import json
import math
from dataclasses import dataclass
from typing import Literal

LONGEST_LINE_BYTES = 4096
_EXPECTED = 'one JSON object like {"watts": 3.21} or {"joules": 1234.5}, with "at_ns" where the program knows it'
_AHEAD_NS = 1_000_000_000
"""A reading cannot be from later than now; this much is forgiven."""


@dataclass(frozen=True)
class MeterLine:
    """One reading of the user's meter."""

    quantity: Literal["watts", "joules"]
    """Power, or a counter of energy."""
    value: float
    at_ns: int
    """On CLOCK_MONOTONIC: the program's own time, else that of the line's arrival."""


def parse_line(line: bytes, arrived_ns: int) -> MeterLine:
    """Parse one line; raises ValueError that says what was seen and what is expected."""
    if len(line) > LONGEST_LINE_BYTES:
        raise ValueError(f"a line of more than {LONGEST_LINE_BYTES} bytes, expected is {_EXPECTED}")
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise ValueError(f"seen {line[:80]!r}, expected is {_EXPECTED}")
    unknown = set(document) - {"watts", "joules", "at_ns"}
    if unknown or ("watts" in document) == ("joules" in document):
        raise ValueError(f"seen the keys {sorted(document)}, expected is {_EXPECTED}")
    quantity: Literal["watts", "joules"] = "watts" if "watts" in document else "joules"
    return MeterLine(quantity, _value(document[quantity], quantity), _time(document.get("at_ns"), arrived_ns))


def _value(value: object, quantity: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{quantity} is {str(value)[:40]!r}, expected is a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"{quantity} is {number!r}, expected is a finite number, 0 or more: is the meter reversed?")
    return number


def _time(at_ns: object, arrived_ns: int) -> int:
    if at_ns is None:
        return arrived_ns
    if isinstance(at_ns, bool) or not isinstance(at_ns, int):
        raise ValueError(f"at_ns is {str(at_ns)[:40]!r}, expected is a whole number of ns on CLOCK_MONOTONIC")
    if not 0 <= at_ns <= arrived_ns + _AHEAD_NS:
        raise ValueError(f"at_ns is {at_ns}, now is {arrived_ns}: is it CLOCK_MONOTONIC in ns?")
    return at_ns
