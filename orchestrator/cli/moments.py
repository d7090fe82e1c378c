"""Times of the API in local time, and times and durations parsed from options, such as ``90d`` or ``12h``."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from orchestrator.shared.values.times import parse_time, utc

SinceOption = Annotated[
    str | None, typer.Option(help="Only from then on: 12h or 30d before now, or a time like 2026-11-22T08:30:00Z.")
]

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_FORM = re.compile(r"(\d{1,7})([smhd])")


def show_moment(moment: datetime | None) -> str | None:
    """Return a time in the local zone, to the minute."""
    return None if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M")


def show_age(moment: datetime | None, now: datetime) -> str | None:
    """Return the time since then: ``3 s ago``, ``12 min ago``, ``5 h ago``, ``9 days ago``."""
    if moment is None:
        return None
    seconds = max((now - moment).total_seconds(), 0)
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"


def parse_duration(text: str | None) -> int | None:
    """Return the seconds of a duration, or None for None; raises BadParameter for another form."""
    if text is None:
        return None
    if text == "0":
        return 0
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise typer.BadParameter(f"{text!r} is not a duration; expected a number with s, m, h or d: 90d")
    return int(match[1]) * _SECONDS[match[2]]


def parse_moment(text: str | None) -> str | None:
    """Return a time in RFC 3339: that of a text, or of a duration before now; None for None. Raises BadParameter."""
    if text is None:
        return None
    try:
        is_duration = _FORM.fullmatch(text.strip())
        at = datetime.now(UTC) - timedelta(seconds=parse_duration(text) or 0) if is_duration else parse_time(text)
        return utc(at).isoformat()
    except (ValueError, OverflowError):
        raise typer.BadParameter(
            f"{text!r} is not a time; expected a duration before now, such as 12h, or a time like 2026-11-22T08:30:00Z"
        ) from None
