"""Parsing and formatting of quantities; all other code uses bytes, nanoseconds and plain integers."""

import math
import re

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

_FACTORS = {"": 1, "b": 1, "byte": 1, "bytes": 1, "kib": KIB, "mib": MIB, "gib": GIB}
_SIZE = re.compile(r"\s*(\d{1,15})\s*([A-Za-z]*)\s*")


_LIMIT_UNITS = {
    "seconds": (("d", 86_400), ("h", 3600), ("m", 60)),
    "bytes": ((" GiB", GIB), (" MiB", MIB), (" KiB", KIB)),
}
"""Last word of a field's name → the units in which users write its values."""


def parse_size_bytes(text: object) -> int:
    """Return the bytes in ``128 KiB``, ``1MiB``, ``4096`` or an integer.

    Raises ValueError for a negative number, a fraction or an unknown unit. KB and MB are refused because they are
    ambiguous: 1000 or 1024.
    """
    if isinstance(text, int) and not isinstance(text, bool):
        if text < 0:
            raise ValueError(f"a size must be 0 or more bytes, got {text}")
        return text
    if not isinstance(text, str):
        raise ValueError(f"a size must be a number of bytes or a text like '128 KiB', got {text!r}")
    match = _SIZE.fullmatch(text)
    factor = _FACTORS.get(match.group(2).lower()) if match else None
    if match is None or factor is None:
        raise ValueError(f"a size must be an integer with B, KiB, MiB or GiB, got {text!r}")
    return int(match.group(1)) * factor


def format_size(size_bytes: int) -> str:
    """Return bytes in the largest unit that keeps them whole: ``128 KiB``, ``1 MiB``, ``1 048 577 B``."""
    for unit, factor in (("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if size_bytes >= factor and size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes:,} B".replace(",", " ")


def format_limit(limit: float, field: str) -> str:
    """Return the limit of a field; whole minutes of seconds and KiB of bytes also in larger units: ``600 (10m)``."""
    for unit, factor in _LIMIT_UNITS.get(field.rpartition("_")[2], ()):
        if limit >= factor and limit % factor == 0:
            return f"{limit:.0f} ({limit / factor:.0f}{unit})"
    return str(limit)


def format_bytes_approximately(size_bytes: float) -> str:
    """Return bytes with three significant digits, for memory and transfers: ``64.1 MiB``."""
    value, unit = float(size_bytes), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if abs(value) < 1000:
            break
        value, unit = value / 1024, larger
    return f"{value:.3g} {unit}" if abs(value) < 1000 else f"{value:.0f} {unit}"


def format_throughput(bytes_per_second: float) -> str:
    """Return a throughput with three significant digits, in binary units per second."""
    return f"{format_bytes_approximately(bytes_per_second)}/s"


def format_duration_ns(duration_ns: float) -> str:
    """Return a duration with three significant digits: ``1.34 ms``, ``12.1 s``, ``2 h 05 min``."""
    if duration_ns >= 3_600e9:
        minutes = round(duration_ns / 60e9)
        return f"{minutes // 60} h {minutes % 60:02d} min"
    if duration_ns >= 120e9:
        seconds = round(duration_ns / 1e9)
        return f"{seconds // 60} min {seconds % 60:02d} s"
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        # From 999.5 on, three digits of the smaller unit would read 1e+03.
        if duration_ns >= 0.9995 * factor:
            return f"{duration_ns / factor:.3g} {unit}"
    return f"{duration_ns:.3g} ns"


def format_signed_duration_ns(ns: float) -> str:
    """Return a duration that may be negative, as an intercept can be."""
    return f"-{format_duration_ns(-ns)}" if ns < 0 else format_duration_ns(ns)


TIME_UNITS = {"nanosecond": ("ns", 1.0), "microsecond": ("µs", 1e3), "millisecond": ("ms", 1e6), "second": ("s", 1e9)}
"""Name of a unit of time → its sign, and its length in nanoseconds."""


def format_in_unit(duration_ns: float, unit: str, digits: int = 3) -> str:
    """Return a duration in a unit of TIME_UNITS, without its sign, with at least these significant digits: ``1234``."""
    value = duration_ns / TIME_UNITS[unit][1]
    if value < 10**-digits:
        return f"{value:.{digits}g}"
    decimals = digits - 1 - math.floor(math.log10(value))
    return f"{value:.{max(0, decimals)}f}"


def format_share(share: float) -> str:
    """Return a share with three significant digits as a percentage: ``1.25 %``, ``0.0103 %``; ``1246 %`` has four."""
    return f"{100 * share:.3g} %" if abs(share) < 9.995 else f"{100 * share:.0f} %"


def format_p_value(p: float) -> str:
    """Return a p-value with two significant digits, or as below 0.0001."""
    return "below 0.0001" if p < 0.0001 else f"{p:.2g}"


def format_ratio(ratio: float) -> str:
    """Return a ratio with three decimals, because differences of a few per mille matter; far from 1 with three digits.

    ``1.004``, ``228``, ``0.0000617``.
    """
    if ratio >= 100:
        return f"{ratio:,.0f}".replace(",", "\u202f")
    return f"{ratio:.{max(3, 2 - math.floor(math.log10(ratio))) if ratio > 0 else 3}f}"


def format_figure(value: float) -> str:
    """Return a number with four significant digits, or all digits before the point: ``3.142``, ``377487``."""
    return f"{value:.4g}" if abs(value) < 9999.5 else f"{value:.0f}"


def format_half_width(share: float) -> str:
    """Return half the width of an interval, as a share of its middle: ``± 1.25 %``."""
    return f"± {format_share(share)}"


def format_quantity(value: float, unit: str) -> str:
    """Return a quantity with three significant digits in the unit of its measure; whole bytes are exact below 1 MiB.

    unit: ``bytes/s``, ``ns``, ``bytes``, ``J/byte``, or ``1`` for a count.
    """
    if unit == "bytes/s":
        return format_throughput(value)
    if unit == "ns":
        return format_duration_ns(value)
    if unit == "bytes":
        # Two code sizes that differ by a byte must not look like a tie.
        exact = float(value).is_integer() and abs(value) < MIB
        return f"{value:,.0f} B".replace(",", "\u202f") if exact else format_bytes_approximately(value)
    if unit == "J/byte":
        return f"{value * 1e9:.3g} nJ/byte"
    return f"{value:,.0f}".replace(",", "\u202f") if abs(value) >= 1000 else f"{value:.3g}"


def format_imported(value: float, unit: str) -> str:
    """Return an imported figure: like `format_quantity`, also for operations per second and unknown units."""
    if unit in ("ns", "bytes", "bytes/s"):
        return format_quantity(value, unit)
    return format_quantity(value, "1") + (" per second" if unit == "1/s" else "")
