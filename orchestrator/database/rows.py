"""Guarded changes: the WHERE clause has the expected state, and the number of changed rows shows whether it held."""

from typing import cast

from sqlalchemy import CursorResult, Delete, Update
from sqlalchemy.orm import Session


def changed(session: Session, statement: Update | Delete) -> int:
    """Execute a statement and return the number of rows that it changed; loaded objects are not updated."""
    result = session.execute(statement, execution_options={"synchronize_session": False})
    return cast(CursorResult[object], result).rowcount
