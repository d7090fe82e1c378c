"""Pages of queries: a cursor is the sort key of the last row of the previous page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic

from sqlalchemy import ColumnElement, Select, UnaryExpression, and_, or_
from sqlalchemy.orm import Session

from orchestrator.service.pagination import Page, Row, Shown, decode_cursor, encode_cursor


@dataclass(frozen=True)
class Rows(Generic[Row]):
    """Rows of a page."""

    items: Sequence[Row]
    next_cursor: str | None

    def page(self, show: Callable[[Row], Shown]) -> Page[Shown]:
        """Return the page of these rows."""
        return Page(items=[show(row) for row in self.items], next_cursor=self.next_cursor)


def rows_after(
    session: Session, query: Select[*tuple[Any, ...]], order: Sequence[Any], cursor: str | None, limit: int
) -> Rows[Any]:
    """Return up to `limit` rows of a query after those of the page with this cursor.

    query: of one model or of several columns. order: columns, or their ``desc()``, that are unique together. Raises
    InvalidRequest for a cursor of another list.
    """
    keys = [one.element if isinstance(one, UnaryExpression) else one for one in order]
    # A decorated type has the type of the values in its implementation.
    last = decode_cursor(cursor, [getattr(key.type, "impl_instance", key.type).python_type for key in keys])
    if last is not None:
        query = query.where(_after(order, keys, last))
    selected = len(query.column_descriptions)
    rows = session.execute(query.add_columns(*keys).order_by(*order).limit(limit + 1)).all()
    following = None
    if len(rows) > limit:
        key = rows[limit - 1][selected:]
        following = encode_cursor([one.isoformat() if isinstance(one, datetime) else one for one in key])
    return Rows([row[0] if selected == 1 else row[:selected] for row in rows[:limit]], following)


def _after(order: Sequence[Any], keys: Sequence[Any], last: Sequence[Any]) -> ColumnElement[bool]:
    """Return the condition that a row comes after a key: greater, or smaller where the order is descending."""
    found, equal = [], list[ColumnElement[bool]]()
    for one, key, value in zip(order, keys, last, strict=True):
        found.append(and_(*equal, key < value if isinstance(one, UnaryExpression) else key > value))
        equal.append(key == value)
    return or_(*found)
