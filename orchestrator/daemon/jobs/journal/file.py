"""The file of a journal: SQLite in one connection, which replaces a damaged file before it does the work."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import structlog

from orchestrator.daemon.jobs.journal.damage import move_aside, salvage
from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import NoRoom
from orchestrator.shared.files.sqlite import find_damage, is_damage

ADD = """
INSERT OR IGNORE INTO records (case_id, repetition, purpose, job_id, record, finished_at, checksum)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
"""Adds a record unless its execution has one; the values are those of ``SalvagedRow``."""
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
_RENAME_READING = """
UPDATE records SET record = replace(record, '"least_call_cycles"', '"min_call_cycles"') WHERE delivered_at IS NULL
"""
"""The reading that version 0.1 names otherwise, in journals without checksums."""

_log = structlog.get_logger(__name__)

Result = TypeVar("Result")


class DiskFull(NoRoom):
    """The disk is full: nothing is measured until there is room."""


class JournalFile(Closable):
    """An open journal file. Every method may be called from any thread."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. Raises DiskFull."""
        self.notice = ""
        """What the user must know about the journal; empty unless it was damaged."""
        self.path = path
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.connection = _open(path)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._begin_again(str(error))
        else:
            self.check()

    def check(self) -> None:
        """Replace the file if SQLite's check finds damage: at the start and once a day."""
        with self._lock:
            damage = find_damage(self.connection)
            if damage is not None:
                self._replace(damage)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self.connection.close()

    def read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query; a damaged file is replaced first."""
        with self._lock:
            return self._repaired(lambda: self.connection.execute(query, values).fetchall())

    def write(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do the work in a transaction; a damaged file is replaced first. Raises DiskFull if SQLite cannot write."""

        def transaction() -> Result:
            with self.connection as connection:
                connection.execute("BEGIN")
                return work(connection)

        with self._lock:
            try:
                return self._repaired(transaction)
            except sqlite3.OperationalError as error:
                raise _full(self.path, error) from error

    def maintain(self, statement: str) -> None:
        """Execute a statement about the file outside a transaction. Raises DiskFull."""
        with self._lock:
            try:
                # SQLite does the work of a pragma while its rows are read.
                self._repaired(lambda: self.connection.execute(statement).fetchall())
            except sqlite3.OperationalError as error:
                raise _full(self.path, error) from error

    def empty_log(self) -> None:
        """Move what SQLite's log has into the file, and return the log's room to the disk."""
        self.maintain("PRAGMA wal_checkpoint(TRUNCATE)")

    def _repaired(self, work: Callable[[], Result]) -> Result:
        try:
            return work()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            self._replace(str(error))
            return work()

    def _replace(self, damage: str) -> None:
        self.connection.close()
        self._begin_again(damage)

    def _begin_again(self, damage: str) -> None:
        """Move the damaged file aside and continue with a new one that has its readable undelivered records."""
        aside = move_aside(self.path)
        self.connection = _open(self.path)
        saved = 0
        for row in salvage(aside):
            saved += self.connection.execute(ADD, row).rowcount
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
            connection.execute(_RENAME_READING)
    except sqlite3.OperationalError as error:
        connection.close()
        raise _full(path, error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _full(path: Path, error: sqlite3.OperationalError) -> DiskFull:
    # SQLite reports a full disk as an I/O error where its shared memory finds no room.
    return DiskFull(
        f"{path} cannot be written: {error}.",
        remedy="Make room on its disk. If there is room, check that the daemon may write the file, and the disk.",
    )
