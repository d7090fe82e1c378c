"""Times: parsed from the API, shown in local time; durations: parsed from options, such as ``90d`` or ``12h``."""

import re
from datetime import UTC, datetime

import typer

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_FORM = re.compile(r"(\d{1,7})([smhd])")


def parse_moment(text: str | datetime) -> datetime:
    """Parse an ISO 8601 time; without a zone it is UTC."""
    moment = datetime.fromisoformat(text) if isinstance(text, str) else text
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def show_moment(text: str | datetime | None) -> str | None:
    """Return a time in the local zone, to the minute."""
    return None if text is None else parse_moment(text).astimezone().strftime("%Y-%m-%d %H:%M")


def show_age(text: str | datetime | None, now: datetime) -> str | None:
    """Return the time since then: ``3 s ago``, ``12 min ago``, ``5 h ago``, ``9 days ago``."""
    if text is None:
        return None
    seconds = max((now - parse_moment(text)).total_seconds(), 0)
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
