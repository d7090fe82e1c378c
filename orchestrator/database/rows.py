"""Guarded changes: an update says in its WHERE what it expects, and the number of rows says whether that held."""

from typing import cast

from sqlalchemy import CursorResult, Delete, Update
from sqlalchemy.orm import Session


def changed(session: Session, statement: Update | Delete) -> int:
    """Execute the statement and return how many rows it changed; loaded objects are not touched."""
    result = session.execute(statement, execution_options={"synchronize_session": False})
    return cast(CursorResult[object], result).rowcount
