"""Damage of a SQLite file: what an error shows of it, and what SQLite's own checks find."""

import sqlite3
from typing import Literal

_CORRUPT, _NOT_A_DATABASE = 11, 26


def primary_code(error: BaseException | None) -> int | None:
    """Return SQLite's primary result code of an error; None if it has another origin."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def is_damage(error: BaseException | None) -> bool:
    """Return whether the error shows a damaged file; a full disk or a lock does not."""
    return primary_code(error) in (_CORRUPT, _NOT_A_DATABASE)


def find_damage(
    connection: sqlite3.Connection, check: Literal["quick_check", "integrity_check"] = "quick_check"
) -> str | None:
    """Return the first result of SQLite's check, or None if the file is intact."""
    try:
        found = connection.execute(f"PRAGMA {check}(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return str(error)
    return None if found is None or found[0] == "ok" else str(found[0])
