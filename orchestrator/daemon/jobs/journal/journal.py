"""The journal: the record of every finished (case, repetition, purpose), stored before the next execution begins.

Records stay until the service has accepted or rejected them, and afterwards for as long as their job may arrive again.
Each agent has one SQLite file, because case numbers belong to one service. A damaged file is moved aside, and a new one
is made of the records that can still be read; the service sends the jobs of the others again.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import structlog

from orchestrator.daemon.jobs.journal.damage import (
    checksum_of,
    delete_with_companions,
    find_damage,
    intact_document,
    is_damage,
    move_aside,
    moved_aside,
    salvage,
)
from orchestrator.errors import SetupError
from orchestrator.wire.jobs import JobExecution
from orchestrator.wire.records import Record

KEEP_SECONDS = 7 * 24 * 3600.0
"""How long delivered records are kept, for a service that restores a backup from before their delivery."""
KEEP_BYTES = 256 * 1024 * 1024
"""Size of the delivered records that are kept: 50 000 records of 5 KB. The oldest are deleted."""

_PORTION = 100
"""Records that one transaction deletes or marks at most. SQLite's log has their pages before the file has them: for all
records, it would take the room of the whole file once more, where there may be none."""
_PAGES = 256
"""Pages that are returned to the disk at a time, for the same reason."""

_log = structlog.get_logger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
    number INTEGER PRIMARY KEY,
    case_id INTEGER NOT NULL,
    repetition INTEGER NOT NULL,
    purpose TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    record TEXT NOT NULL,       -- JSON of wire.records.Record, sent unchanged
    finished_at REAL NOT NULL,  -- seconds since 1970
    delivered_at REAL,          -- NULL until it is delivered
    checksum INTEGER,           -- CRC-32 of the record; NULL in journals of earlier versions
    UNIQUE (case_id, repetition, purpose)
);
CREATE INDEX IF NOT EXISTS records_waiting ON records (number) WHERE delivered_at IS NULL;
CREATE INDEX IF NOT EXISTS records_of_job ON records (job_id);
CREATE TABLE IF NOT EXISTS epochs (epoch TEXT PRIMARY KEY);  -- generation of the service's database, one row
CREATE TABLE IF NOT EXISTS attempts (job_id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL, at REAL NOT NULL);
"""

_ADD = """
INSERT OR IGNORE INTO records (case_id, repetition, purpose, job_id, record, finished_at, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_DELETE_AGED = "DELETE FROM records WHERE number BETWEEN ? AND ? AND delivered_at < ?"
_DELETE_DELIVERED = "DELETE FROM records WHERE number BETWEEN ? AND ? AND number <= ? AND delivered_at IS NOT NULL"
_MARK_UNDELIVERED = "UPDATE records SET delivered_at = NULL WHERE number BETWEEN ? AND ? AND delivered_at IS NOT NULL"
_UNDELIVERED_BYTES = "SELECT coalesce(sum(length(record)), 0) FROM records WHERE delivered_at IS NULL"
_EXCESS = """
SELECT max(number) FROM (
    SELECT number, sum(length(record)) OVER (ORDER BY number DESC) AS bytes FROM records WHERE delivered_at IS NOT NULL
) WHERE bytes > ?
"""
_STORE_ATTEMPT = "INSERT OR REPLACE INTO attempts (job_id, attempt, at) VALUES (?, ?, ?)"

Result = TypeVar("Result")

ExecutionKey = tuple[int, int, str]
"""(case, repetition, purpose)."""


class DiskFull(SetupError):
    """The disk is full: nothing is measured until there is room."""


def key_of(execution: JobExecution | Record) -> ExecutionKey:
    """Return the permanent key of an execution."""
    return execution.case_id, execution.repetition, execution.purpose


@dataclass(frozen=True)
class Waiting:
    """Undelivered records."""

    numbers: list[int]
    documents: list[str]


class Journal:
    """The journal file. Every method may be called from any thread."""

    def __init__(self, path: Path) -> None:
        """Open or create the file."""
        self.notice = ""
        """What the user must know about the journal; empty unless it was damaged."""
        self._path = path
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._connection = _open(path)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._replace(str(error))
        else:
            self.check()

    def check(self) -> None:
        """Replace the file if SQLite's check finds damage: at the start and once a day."""
        with self._lock:
            damage = find_damage(self._connection)
            if damage is not None:
                self._replace(damage)

    def require_writable(self) -> None:
        """Write a value. Raises DiskFull."""
        self.store_attempt(0, 0)

    def add(self, record: Record) -> None:
        """Store the record of a finished execution, unless it has one already. Raises DiskFull."""
        document = record.model_dump_json(exclude_defaults=True)
        row = (*key_of(record), record.job_id, document, time.time(), checksum_of(document))
        self._write(lambda connection: connection.execute(_ADD, row))

    def finished(self, executions: Iterable[JobExecution]) -> set[ExecutionKey]:
        """Return the keys of those executions that have a record."""
        requested = {key_of(execution) for execution in executions}
        found: set[ExecutionKey] = set()
        for case_id in {key[0] for key in requested}:
            rows = self._read("SELECT case_id, repetition, purpose FROM records WHERE case_id = ?", case_id)
            found |= {(int(row[0]), int(row[1]), str(row[2])) for row in rows}
        return found & requested

    def requeue(self, keys: Iterable[ExecutionKey]) -> None:
        """Mark records as undelivered, because the service requires them again. Raises DiskFull."""
        rows = list(keys)
        statement = "UPDATE records SET delivered_at = NULL WHERE case_id = ? AND repetition = ? AND purpose = ?"
        self._write(lambda connection: connection.executemany(statement, rows))

    def waiting(self, limit: int) -> Waiting:
        """Return up to `limit` of the oldest undelivered records; those with a wrong checksum are deleted."""
        # As bytes: a damaged text may not be decodable.
        rows = self._read(
            "SELECT number, CAST(record AS BLOB), checksum FROM records WHERE delivered_at IS NULL"
            " ORDER BY number LIMIT ?",
            limit,
        )
        documents = {number: intact_document(document, checksum) for number, document, checksum in rows}
        damaged = [(number,) for number, document in documents.items() if document is None]
        if damaged:
            _log.error("damaged records deleted; their executions are made again", records=len(damaged))
            self._write(lambda c: c.executemany("DELETE FROM records WHERE number = ?", damaged))
            return self.waiting(limit)
        return Waiting(list(documents), [document for document in documents.values() if document is not None])

    def waiting_count(self) -> int:
        """Return the number of undelivered records."""
        return int(self._read("SELECT count(*) FROM records WHERE delivered_at IS NULL")[0][0])

    def waiting_jobs(self) -> set[int]:
        """Return the jobs with undelivered records."""
        return {int(row[0]) for row in self._read("SELECT DISTINCT job_id FROM records WHERE delivered_at IS NULL")}

    def mark_delivered(self, numbers: Iterable[int]) -> None:
        """Mark records as delivered: the service has accepted or rejected them."""
        now = time.time()
        rows = [(now, number) for number in numbers]
        self._write(lambda c: c.executemany("UPDATE records SET delivered_at = ? WHERE number = ?", rows))

    def attempt_of(self, job_id: int) -> int:
        """Return the last attempt that the service assigned to the job; 1 if it is unknown."""
        rows = self._read("SELECT attempt FROM attempts WHERE job_id = ?", job_id)
        return int(rows[0][0]) if rows else 1

    def store_attempt(self, job_id: int, attempt: int) -> None:
        """Store the attempt, for a restart while the service is unreachable."""
        self._write(lambda connection: connection.execute(_STORE_ATTEMPT, (job_id, attempt, time.time())))

    def forget_attempts(self, job_id: int) -> None:
        """Delete the attempt of a job that the service no longer needs; its delivered records are kept for a while."""
        self._write(lambda connection: connection.execute("DELETE FROM attempts WHERE job_id = ?", (job_id,)))

    def note_epoch(self, epoch: str) -> bool:
        """Store the generation of the service's database; return whether it changed.

        After a change, every delivered record is undelivered again: the restored database may lack it.
        """
        known = self._read("SELECT epoch FROM epochs")
        if known == [(epoch,)]:
            return False

        if known:
            self._in_portions(_MARK_UNDELIVERED)

        def change(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM epochs")
            connection.execute("INSERT INTO epochs (epoch) VALUES (?)", (epoch,))

        self._write(change)
        return bool(known)

    def prune(self, keep_seconds: float = KEEP_SECONDS, keep_bytes: int = KEEP_BYTES) -> int:
        """Delete records delivered more than `keep_seconds` ago, and the oldest beyond a size; return how many."""
        oldest = time.time() - keep_seconds
        self._write(lambda connection: connection.execute("DELETE FROM attempts WHERE at < ?", (oldest,)))
        deleted = self._in_portions(_DELETE_AGED, oldest)
        excess = self._read(_EXCESS, keep_bytes)[0][0]
        if excess is not None:
            deleted += self._in_portions(_DELETE_DELIVERED, excess)
        if deleted:
            self._return_pages()
        return deleted

    def make_room(self, needed_bytes: int) -> bool:
        """Delete what the agent can do without until so many bytes are free; return whether they are.

        First damaged files, then delivered records, the oldest first: a service that restores a backup from before
        their delivery has their executions made again. Nothing is deleted if all of it would not suffice. Raises
        DiskFull if there is no room for the change of a few records.
        """
        self._empty_log()  # A change that found no room has left its pages there.
        damaged = moved_aside(self._path)
        damaged_bytes = sum(found.stat().st_size for found in damaged)
        goal = self._path.stat().st_size - (needed_bytes - damaged_bytes)
        if goal < self._read(_UNDELIVERED_BYTES)[0][0]:
            return False
        for found in damaged:
            delete_with_companions(found)
        deleted = 0
        for begin, end in self._portions():
            if self._path.stat().st_size <= goal:
                break
            deleted += self._change(_DELETE_DELIVERED, begin, end, end)
            if self._returns_pages():
                self._return_pages()
        if self._path.stat().st_size > goal and not self._returns_pages():
            self._rewrite()
        _log.warning(
            "old data of the journal deleted: the disk is nearly full",
            needed_bytes=needed_bytes, damaged_files=len(damaged), delivered_records=deleted,
        )  # fmt: skip
        return self._path.stat().st_size <= goal

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query; a damaged file is replaced first."""
        with self._lock:
            return self._repaired(lambda: self._connection.execute(query, values).fetchall())

    def _write(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do the work in a transaction; a damaged file is replaced first. Raises DiskFull if SQLite cannot write."""

        def transaction() -> Result:
            with self._connection as connection:
                connection.execute("BEGIN")
                return work(connection)

        with self._lock:
            try:
                return self._repaired(transaction)
            except sqlite3.OperationalError as error:
                raise self._full(error) from error

    def _portions(self) -> Iterator[tuple[int, int]]:
        """Yield the first and last number of each portion of the records, the oldest first."""
        first, last = self._read("SELECT min(number), max(number) FROM records")[0]
        if first is not None:
            yield from ((begin, begin + _PORTION - 1) for begin in range(first, last + 1, _PORTION))

    def _in_portions(self, statement: str, *values: float) -> int:
        """Execute a change of records portion by portion; return how many were changed. Raises DiskFull."""
        return sum(self._change(statement, begin, end, *values) for begin, end in self._portions())

    def _change(self, statement: str, begin: int, end: int, *values: float) -> int:
        """Change the records with these numbers and move the change into the file; return how many it were."""
        changed = self._write(lambda connection: connection.execute(statement, (begin, end, *values)).rowcount)
        if changed:
            self._empty_log()
        return changed

    def _empty_log(self) -> None:
        """Move what SQLite's log has into the file, and return the log's room to the disk."""
        self._maintain("PRAGMA wal_checkpoint(TRUNCATE)")

    def _returns_pages(self) -> bool:
        """Return whether deleted records can be returned in portions; journals of earlier versions cannot."""
        return bool(self._read("PRAGMA auto_vacuum")[0][0])

    def _return_pages(self) -> None:
        """Return the pages of deleted records to the disk. Raises DiskFull."""
        while self._returns_pages() and self._read("PRAGMA freelist_count")[0][0]:
            self._maintain(f"PRAGMA incremental_vacuum({_PAGES})")
            self._empty_log()

    def _rewrite(self) -> None:
        """Rewrite a journal of an earlier version in the form that returns pages. Raises DiskFull."""
        self._maintain("PRAGMA auto_vacuum = INCREMENTAL")
        self._maintain("VACUUM")
        self._empty_log()

    def _maintain(self, statement: str) -> None:
        """Execute a statement about the file outside a transaction. Raises DiskFull."""
        with self._lock:
            try:
                # SQLite does the work of a pragma while its rows are read.
                self._repaired(lambda: self._connection.execute(statement).fetchall())
            except sqlite3.OperationalError as error:
                raise self._full(error) from error

    def _full(self, error: sqlite3.OperationalError) -> DiskFull:
        return DiskFull(f"{self._path} cannot be written: {error}.", remedy="Make room on its disk.")

    def _repaired(self, work: Callable[[], Result]) -> Result:
        try:
            return work()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._replace(str(error))
            return work()

    def _replace(self, damage: str) -> None:
        """Move the damaged file aside and continue with a new one that has its readable undelivered records."""
        connection = getattr(self, "_connection", None)
        if connection is not None:
            connection.close()
        aside = move_aside(self._path)
        self._connection = _open(self._path)
        saved = 0
        for row in salvage(aside):
            saved += self._connection.execute(_ADD, row).rowcount
        self.notice = (
            f"The journal was damaged ({damage[:80]}) and moved to {aside.name}. Saved: {saved} undelivered records. "
            "Executions whose records were lost are made again. Check the disk or SD card."
        )
        _log.error("journal damaged and moved aside", damage=damage, file=str(aside), saved=saved)


def _open(path: Path) -> sqlite3.Connection:
    # WAL without a sync per commit survives a kill of the daemon. A power failure may lose the last executions; they
    # are measured again, and the service keeps the first record of each.
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        # Before anything else is written: pages of deleted records can be returned to the disk a few at a time.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(_SCHEMA)
        if "checksum" not in {row[1] for row in connection.execute("PRAGMA table_info(records)")}:
            connection.execute("ALTER TABLE records ADD COLUMN checksum INTEGER")
    except BaseException:
        connection.close()
        raise
    return connection
