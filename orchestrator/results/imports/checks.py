"""Checks of values in an imported file: each returns the value, or refuses the file with its place. Pure."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from orchestrator.results.imports.document import MAX_FACT, MAX_NAME, MAX_SERIES, MAX_VALUE
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.values.text import visible_line

DAMAGED = "Export it again with the tool, and import the file unchanged."
_SPACES = str.maketrans("\t\n\r", "   ")


def refused(detail: str, remedy: str = DAMAGED) -> InvalidRequest:
    """Return the error for a file that cannot be imported."""
    return InvalidRequest(f"{detail} Nothing was imported.", remedy=remedy, field="content")


def mapping(value: Any, where: str) -> Mapping[str, Any]:
    """Return a JSON object."""
    if not isinstance(value, dict):
        raise refused(f"{where} is {_seen(value)}; expected an object.")
    return value


def items(value: Any, where: str) -> Sequence[Any]:
    """Return a JSON list with at least one item."""
    if not isinstance(value, list) or not value:
        raise refused(f"{where} is {_seen(value)}; expected a list with at least one item.")
    return value


def number(value: Any, where: str, factor: float = 1.0) -> float:
    """Return a finite number of 0 or more, multiplied by the factor."""
    # JSON's 1e999 is infinity in Python; a truth value would be 0 or 1.
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise refused(f"{where} is {_seen(value)}; expected a finite number.")
    scaled = value * factor
    if not 0 <= scaled <= MAX_VALUE:
        raise refused(f"{where} is {value:g}; expected a number from 0 to {MAX_VALUE / factor:g}.")
    return float(scaled)


def optional_number(value: Any, where: str, factor: float = 1.0) -> float | None:
    """Return a number like `number`, None for null."""
    return None if value is None else number(value, where, factor)


def numbers(value: Any, where: str, factor: float = 1.0) -> tuple[float, ...]:
    """Return a list of at least one number."""
    return tuple(number(one, f"{where}[{place}]", factor) for place, one in enumerate(items(value, where)))


def whole(value: Any, where: str) -> int:
    """Return a whole number of 0 or more."""
    found = number(value, where)
    if not found.is_integer():
        raise refused(f"{where} is {found:g}; expected a whole number.")
    return int(found)


def line(value: Any, where: str, limit: int = MAX_NAME) -> str:
    """Return a text in one line: spaces, tabs and line ends become one space, other control characters are refused."""
    if not isinstance(value, str):
        raise refused(f"{where} is {_seen(value)}; expected a text.")
    plain = value.translate(_SPACES)
    if visible_line(plain) != plain:
        hidden = next(sign for sign in plain if visible_line(sign) != sign)
        raise refused(
            f"{where} contains the control character U+{ord(hidden):04X}.",
            remedy="Name the benchmark without it, and export it again.",
        )
    found = " ".join(plain.split())
    if not found or len(found) > limit:
        raise refused(
            f"{where} has {len(found)} characters; expected 1 to {limit}.",
            remedy="Name the benchmark (hyperfine: --command-name), and export it again.",
        )
    return found


def facts(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, str]:
    """Return the values of an object that are texts, numbers or truth values, by the names to show.

    names: key of the object → name to show. Absent ones are left out.
    """
    found = {}
    for key, name in names.items():
        value = values.get(key)
        if value is None or isinstance(value, dict | list) or value == "":
            continue
        shown = str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else value
        found[name] = line(str(shown), key, MAX_FACT)
    return found


def check_count(count: int, what: str = "series", limit: int = MAX_SERIES) -> None:
    """Refuse a file with more series, or more of something else, than an import may have.

    Formats call it before they make series: a file of 8 MiB can have 150 000 of them, which would take seconds.
    """
    if count > limit:
        raise refused(
            f"The file has more than {limit} {what}, the limit of an import.",
            remedy="Export fewer benchmarks into one file.",
        )


def _seen(value: Any) -> str:
    """Return a value of JSON for a message."""
    if value is None:
        return "absent"
    if isinstance(value, dict):
        return f"an object with the keys {', '.join(repr(visible_line(key[:30])) for key in list(value)[:5]) or 'none'}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return repr(visible_line(str(value)[:60])) if isinstance(value, str) else f"{value}"[:60]
