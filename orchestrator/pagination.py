"""Lists in pages: ``?cursor=&limit=`` in, ``{"items": […], "next_cursor": …}`` out.

A cursor is the sort key of the last item already seen, so that pages stay right while rows are added.
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

CursorQuery = Annotated[str | None, Query(max_length=400, description="`next_cursor` of the page before.")]
LimitQuery = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Items of a page.")]


Row = TypeVar("Row")
Shown = TypeVar("Shown")


class Page(BaseModel, Generic[Shown]):
    """One page of a list."""

    items: list[Shown]
    next_cursor: str | None
    """Null on the last page."""


def encode_cursor(values: Sequence[CursorValue]) -> str:
    """Return an opaque text for the sort key of an item."""
    return base64.urlsafe_b64encode(json.dumps(list(values)).encode()).decode().rstrip("=")


def decode_cursor(text: str | None, types: Sequence[type]) -> tuple[CursorValue, ...] | None:
    """Return the sort key in a cursor, one value of each type, or None where there is no cursor.

    Raises InvalidRequest for a text that no list gave.
    """
    if not text:
        return None
    try:
        values = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        values = None
    if not isinstance(values, list) or [type(value) for value in values] != list(types):
        raise InvalidRequest(
            f"{text[:80]!r} is no cursor of this list.", remedy="Take next_cursor of a page.", field="cursor"
        )
    return tuple(values)


def page_of(
    rows: Sequence[Row], limit: int, key: Callable[[Row], Sequence[CursorValue]], show: Callable[[Row], Shown]
) -> Page[Shown]:
    """Return the page of up to `limit` rows; the query asked for one row more, to see whether there is a next page."""
    shown = rows[:limit]
    next_cursor = encode_cursor(key(shown[-1])) if len(rows) > limit else None
    return Page(items=[show(row) for row in shown], next_cursor=next_cursor)
