"""Cursor pagination: a request has ``?cursor=&limit=``, a response ``{"items": […], "next_cursor": …}``.

A cursor is the sort key of the last item of the previous page, so rows that are added later do not shift the pages.
"""

import base64
import binascii
import json
import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.values.models import LazyModel
from orchestrator.shared.values.text import visible_line
from orchestrator.shared.values.times import parse_time, utc

MAX_LIMIT = 500

CursorValue = str | int | float

Row = TypeVar("Row")
Shown = TypeVar("Shown")


class Page(LazyModel, Generic[Shown]):
    """One page of a list."""

    items: list[Shown]
    next_cursor: str | None
    """Null on the last page."""


def encode_cursor(values: Sequence[CursorValue]) -> str:
    """Return the sort key of an item as opaque text."""
    return base64.urlsafe_b64encode(json.dumps(list(values)).encode()).decode().rstrip("=")


def decode_cursor(text: str | None, types: Sequence[type]) -> tuple[Any, ...] | None:
    """Return the sort key in a cursor, one value of each type, or None if there is no cursor.

    A time (``datetime``) is an ISO text in the cursor. Raises InvalidRequest for other text.
    """
    if not text:
        return None
    try:
        values = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        if not isinstance(values, list) or len(values) != len(types):
            raise ValueError("another number of values")
        return tuple(map(_value, values, types))
    except (ValueError, binascii.Error, RecursionError):
        raise InvalidRequest(
            f"{text[:80]!r} is not a cursor of this list.", remedy="Send the next_cursor of a page.", field="cursor"
        ) from None


def _value(value: object, expected: type) -> CursorValue | datetime:
    """Return a value of a cursor; raises ValueError for another type, and for a value that no database has."""
    if expected is datetime:
        return utc(parse_time(value))
    if isinstance(value, str) and expected is str and visible_line(value) == value:
        return value
    if type(value) is int and expected is int and -(2**63) <= value < 2**63:
        return value
    if type(value) is float and expected is float and math.isfinite(value):
        return value
    raise ValueError("another type")


def page_of(
    rows: Sequence[Row], limit: int, key: Callable[[Row], Sequence[CursorValue]], show: Callable[[Row], Shown]
) -> Page[Shown]:
    """Return a page of up to `limit` rows; the query returns one row more if there is a next page."""
    shown = rows[:limit]
    next_cursor = encode_cursor(key(shown[-1])) if len(rows) > limit else None
    return Page(items=[show(row) for row in shown], next_cursor=next_cursor)
