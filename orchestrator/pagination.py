"""Cursor pagination: a request has ``?cursor=&limit=``, a response ``{"items": […], "next_cursor": …}``.

A cursor is the sort key of the last item of the previous page, so rows that are added later do not shift the pages.
"""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Annotated, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel

from orchestrator.errors import InvalidRequest

MAX_LIMIT = 500

CursorValue = str | int | float

CursorQuery = Annotated[str | None, Query(max_length=400, description="`next_cursor` of the previous page.")]
LimitQuery = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Maximum number of items in the page.")]


Row = TypeVar("Row")
Shown = TypeVar("Shown")


class Page(BaseModel, Generic[Shown]):
    """One page of a list."""

    items: list[Shown]
    next_cursor: str | None
    """Null on the last page."""


def encode_cursor(values: Sequence[CursorValue]) -> str:
    """Return the sort key of an item as opaque text."""
    return base64.urlsafe_b64encode(json.dumps(list(values)).encode()).decode().rstrip("=")


def decode_cursor(text: str | None, types: Sequence[type]) -> tuple[CursorValue, ...] | None:
    """Return the sort key in a cursor, one value of each type, or None if there is no cursor.

    Raises InvalidRequest for text that is not a cursor of this list.
    """
    if not text:
        return None
    try:
        values = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        values = None
    if not isinstance(values, list) or [type(value) for value in values] != list(types):
        raise InvalidRequest(
            f"{text[:80]!r} is not a cursor of this list.", remedy="Send the next_cursor of a page.", field="cursor"
        )
    return tuple(values)


def page_of(
    rows: Sequence[Row], limit: int, key: Callable[[Row], Sequence[CursorValue]], show: Callable[[Row], Shown]
) -> Page[Shown]:
    """Return a page of up to `limit` rows; the query returns one row more if there is a next page."""
    shown = rows[:limit]
    next_cursor = encode_cursor(key(shown[-1])) if len(rows) > limit else None
    return Page(items=[show(row) for row in shown], next_cursor=next_cursor)
