"""Times in messages, requests and cursors: RFC 3339, with a zone, within limits that every database can store."""

import re
from datetime import UTC, datetime

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
"""Limits of times from other programs. Every time zone and every database can express them."""

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)


def parse_time(value: object) -> datetime:
    """Return the time of an RFC 3339 text, with its zone if it has one; raises ValueError for anything else."""
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not _RFC_3339.fullmatch(value):
        raise ValueError("expected a time like 2026-11-22T08:30:00Z")
    return datetime.fromisoformat(value.upper())


def utc(at: datetime) -> datetime:
    """Return a time in UTC; raises ValueError for one without a zone or outside of EARLIEST to LATEST."""
    if at.tzinfo is None:
        raise ValueError(f"{at.isoformat()} has no time zone; expected UTC")
    try:
        found = at.astimezone(UTC)
    except OverflowError:  # In UTC its year would be 0 or 10 000.
        found = None
    if found is None or not EARLIEST <= found < LATEST:
        raise ValueError(f"{at.isoformat()} is out of range; expected a time from {EARLIEST:%Y} to {LATEST:%Y}")
    return found
