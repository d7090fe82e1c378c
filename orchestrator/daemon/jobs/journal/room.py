"""Room that a journal takes on its disk: which records are deleted when, and how their room returns to the disk.

Everything is done for a few records at a time: SQLite's log has the pages of a change before the file has them. A
change of all records would take the room of the whole file once more, where there may be none.
"""

import time
from collections.abc import Iterator

import structlog

from orchestrator.daemon.jobs.journal.damage import delete_with_companions, moved_aside
from orchestrator.daemon.jobs.journal.file import JournalFile

KEEP_SECONDS = 7 * 24 * 3600.0
"""How long delivered records are kept, for a service that restores a backup from before their delivery."""
KEEP_BYTES = 256 * 1024 * 1024
"""Size of the delivered records that are kept: 50 000 records of 5 KB. The oldest are deleted."""

_PORTION = 100
"""Records that one transaction deletes or marks at most."""
_PAGES = 256
"""Pages that are returned to the disk at a time."""

_DELETE_AGED = "DELETE FROM records WHERE number BETWEEN ? AND ? AND delivered_at < ?"
_DELETE_DELIVERED = "DELETE FROM records WHERE number BETWEEN ? AND ? AND number <= ? AND delivered_at IS NOT NULL"
_UNDELIVERED_BYTES = "SELECT coalesce(sum(length(record)), 0) FROM records WHERE delivered_at IS NULL"
_EXCESS = """
SELECT max(number) FROM (
    SELECT number, sum(length(record)) OVER (ORDER BY number DESC) AS bytes FROM records WHERE delivered_at IS NOT NULL
) WHERE bytes > ?
"""

_log = structlog.get_logger(__name__)


def prune(file: JournalFile, keep_seconds: float, keep_bytes: int) -> int:
    """Delete records delivered more than `keep_seconds` ago, and the oldest beyond a size; return how many."""
    oldest = time.time() - keep_seconds
    file.write(lambda connection: connection.execute("DELETE FROM attempts WHERE at < ?", (oldest,)))
    deleted = change_in_portions(file, _DELETE_AGED, oldest)
    excess = file.read(_EXCESS, keep_bytes)[0][0]
    if excess is not None:
        deleted += change_in_portions(file, _DELETE_DELIVERED, excess)
    if deleted:
        _return_pages(file)
    return deleted


def make_room(file: JournalFile, needed_bytes: int) -> bool:
    """Delete what the agent can do without until so many bytes are free; return whether they are.

    First damaged files, then delivered records, the oldest first: a service that restores a backup from before
    their delivery has their executions made again. Nothing is deleted if all of it would not suffice. Raises
    DiskFull if there is no room for the change of a few records.
    """
    file.empty_log()  # A change that found no room has left its pages there.
    damaged = moved_aside(file.path)
    damaged_bytes = sum(found.stat().st_size for found in damaged)
    goal = file.path.stat().st_size - (needed_bytes - damaged_bytes)
    if goal < file.read(_UNDELIVERED_BYTES)[0][0]:
        return False
    for found in damaged:
        delete_with_companions(found)
    deleted = _delete_delivered(file, goal)
    _log.warning(
        "old data of the journal deleted: the disk is nearly full",
        needed_bytes=needed_bytes, damaged_files=len(damaged), delivered_records=deleted,
    )  # fmt: skip
    return file.path.stat().st_size <= goal


def change_in_portions(file: JournalFile, statement: str, *values: float) -> int:
    """Execute a change of records portion by portion; return how many were changed. Raises DiskFull.

    statement: its first two parameters are the first and the last number of a portion.
    """
    return sum(_change(file, statement, begin, end, *values) for begin, end in _portions(file))


def _delete_delivered(file: JournalFile, goal_bytes: int) -> int:
    """Delete delivered records, the oldest first, until the file has at most this size; return how many."""
    deleted = 0
    for begin, end in _portions(file):
        if file.path.stat().st_size <= goal_bytes:
            break
        deleted += _change(file, _DELETE_DELIVERED, begin, end, end)
        if _returns_pages(file):
            _return_pages(file)
    if file.path.stat().st_size > goal_bytes and not _returns_pages(file):
        _rewrite(file)
    return deleted


def _portions(file: JournalFile) -> Iterator[tuple[int, int]]:
    """Yield the first and last number of each portion of the records, the oldest first."""
    first, last = file.read("SELECT min(number), max(number) FROM records")[0]
    if first is not None:
        yield from ((begin, begin + _PORTION - 1) for begin in range(first, last + 1, _PORTION))


def _change(file: JournalFile, statement: str, begin: int, end: int, *values: float) -> int:
    """Change the records with these numbers and move the change into the file; return how many were changed."""
    changed = file.write(lambda connection: connection.execute(statement, (begin, end, *values)).rowcount)
    if changed:
        file.empty_log()
    return changed


def _returns_pages(file: JournalFile) -> bool:
    """Return whether deleted records can be returned in portions; journals of earlier versions cannot."""
    return bool(file.read("PRAGMA auto_vacuum")[0][0])


def _return_pages(file: JournalFile) -> None:
    """Return the pages of deleted records to the disk. Raises DiskFull."""
    while _returns_pages(file) and file.read("PRAGMA freelist_count")[0][0]:
        file.maintain(f"PRAGMA incremental_vacuum({_PAGES})")
        file.empty_log()


def _rewrite(file: JournalFile) -> None:
    """Rewrite a journal of an earlier version in the form that returns pages. Raises DiskFull."""
    file.maintain("PRAGMA auto_vacuum = INCREMENTAL")
    file.maintain("VACUUM")
    file.empty_log()
