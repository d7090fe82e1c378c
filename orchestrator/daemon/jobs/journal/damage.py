"""Damage of the journal's file: moved aside, and what can still be read of it."""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

KEPT_FILES = 3
"""Damaged journals that are kept for inspection; older ones are deleted."""
_COMPANIONS = ("-wal", "-shm")


class SalvagedRow(NamedTuple):
    """An undelivered record whose checksum is right."""

    case_id: int
    repetition: int
    purpose: str
    job_id: int
    record: str
    finished_at: float
    checksum: int


def checksum_of(record: str) -> int:
    """Return the CRC-32 of a record's document: SQLite notices damaged pages, but not changed values."""
    return zlib.crc32(record.encode())


def intact_document(stored: bytes, checksum: int | None) -> str | None:
    """Return the document of a record, or None if its bytes have changed; without a checksum it must be UTF-8."""
    if checksum is not None and zlib.crc32(stored) != checksum:
        return None
    try:
        return stored.decode()
    except UnicodeDecodeError:
        return None


def move_aside(path: Path) -> Path:
    """Rename the file to ``<name>.damaged-<time>`` and delete the oldest such files; return the new path."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    target = path.with_name(f"{path.name}.damaged-{stamp}")
    path.rename(target)
    for companion in _COMPANIONS:
        source = path.with_name(path.name + companion)
        if source.exists():
            source.rename(target.with_name(target.name + companion))
    for old in moved_aside(path)[:-KEPT_FILES]:
        delete_with_companions(old)
    return target


def moved_aside(path: Path) -> list[Path]:
    """Return the damaged files of a journal that were moved aside, the oldest first."""
    return sorted(found for found in path.parent.glob(f"{path.name}.damaged-*") if not found.name.endswith(_COMPANIONS))


def delete_with_companions(path: Path) -> None:
    """Delete a journal's file with the files that SQLite keeps next to it."""
    for name in (path.name, *(path.name + companion for companion in _COMPANIONS)):
        path.with_name(name).unlink(missing_ok=True)


def salvage(path: Path) -> Iterator[SalvagedRow]:
    """Yield the undelivered records of a damaged journal that can be read and have the right checksum."""
    columns = ", ".join(SalvagedRow._fields)
    try:
        with closing(sqlite3.connect(path)) as connection:
            last = connection.execute("SELECT max(number) FROM records").fetchone()[0] or 0
            # One statement per row: a damaged page costs its own rows only.
            for number in range(1, last + 1):
                try:
                    row = connection.execute(
                        f"SELECT {columns} FROM records WHERE number = ? AND delivered_at IS NULL",  # noqa: S608
                        (number,),
                    ).fetchone()
                    if row is not None and row[-1] == checksum_of(str(row[4])):
                        yield SalvagedRow._make(row)
                except (sqlite3.DatabaseError, UnicodeError):
                    continue
    except sqlite3.DatabaseError:
        return
