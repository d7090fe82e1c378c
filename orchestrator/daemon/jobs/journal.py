"""The journal: the record of every finished (case, repetition, purpose), stored before the next execution begins.

Records stay until the service has accepted or rejected them, and afterwards for as long as their job may arrive again.
Each agent has one SQLite file, because case numbers belong to one service.
"""

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import SetupError
from orchestrator.wire.jobs import JobExecution
from orchestrator.wire.records import Record

KEEP_SECONDS = 24 * 3600.0
"""How long delivered records are kept when the end of their job was not confirmed."""

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
    UNIQUE (case_id, repetition, purpose)
);
CREATE INDEX IF NOT EXISTS records_waiting ON records (number) WHERE delivered_at IS NULL;
CREATE INDEX IF NOT EXISTS records_of_job ON records (job_id);
CREATE TABLE IF NOT EXISTS attempts (job_id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL, at REAL NOT NULL);
"""

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
        self._path = path
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        # WAL without a sync per commit survives a kill of the daemon. A power failure may lose the last executions;
        # they are measured again, and the service keeps the first record of each.
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(_SCHEMA)

    def add(self, record: Record) -> None:
        """Store the record of a finished execution, unless it has one already. Raises DiskFull."""
        row = (*key_of(record), record.job_id, record.model_dump_json(exclude_defaults=True), time.time())
        with self._writing():
            self._connection.execute(
                "INSERT OR IGNORE INTO records (case_id, repetition, purpose, job_id, record, finished_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                row,
            )

    def finished(self, executions: Iterable[JobExecution]) -> set[ExecutionKey]:
        """Return the keys of those executions that have a record."""
        requested = {key_of(execution) for execution in executions}
        found: set[ExecutionKey] = set()
        with self._lock:
            for case_id in {key[0] for key in requested}:
                rows = self._connection.execute(
                    "SELECT case_id, repetition, purpose FROM records WHERE case_id = ?", (case_id,)
                )
                found |= {(int(row[0]), int(row[1]), str(row[2])) for row in rows}
        return found & requested

    def requeue(self, keys: Iterable[ExecutionKey]) -> None:
        """Mark records as undelivered, because the service requires them again. Raises DiskFull."""
        with self._writing():
            self._connection.execute("BEGIN")
            self._connection.executemany(
                "UPDATE records SET delivered_at = NULL WHERE case_id = ? AND repetition = ? AND purpose = ?", keys
            )

    def waiting(self, limit: int) -> Waiting:
        """Return up to `limit` of the oldest undelivered records."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT number, record FROM records WHERE delivered_at IS NULL ORDER BY number LIMIT ?", (limit,)
            ).fetchall()
        return Waiting([row[0] for row in rows], [row[1] for row in rows])

    def waiting_count(self) -> int:
        """Return the number of undelivered records."""
        with self._lock:
            row = self._connection.execute("SELECT count(*) FROM records WHERE delivered_at IS NULL").fetchone()
        return int(row[0])

    def waiting_jobs(self) -> set[int]:
        """Return the jobs with undelivered records."""
        with self._lock:
            rows = self._connection.execute("SELECT DISTINCT job_id FROM records WHERE delivered_at IS NULL")
            return {int(row[0]) for row in rows}

    def mark_delivered(self, numbers: Iterable[int]) -> None:
        """Mark records as delivered: the service has accepted or rejected them."""
        now = time.time()
        with self._writing():
            self._connection.execute("BEGIN")
            self._connection.executemany(
                "UPDATE records SET delivered_at = ? WHERE number = ?", [(now, number) for number in numbers]
            )

    def attempt_of(self, job_id: int) -> int:
        """Return the last attempt that the service assigned to the job; 1 if it is unknown."""
        with self._lock:
            row = self._connection.execute("SELECT attempt FROM attempts WHERE job_id = ?", (job_id,)).fetchone()
        return int(row[0]) if row else 1

    def store_attempt(self, job_id: int, attempt: int) -> None:
        """Store the attempt, for a restart while the service is unreachable."""
        with self._writing():
            self._connection.execute(
                "INSERT OR REPLACE INTO attempts (job_id, attempt, at) VALUES (?, ?, ?)", (job_id, attempt, time.time())
            )

    def delete_job(self, job_id: int) -> None:
        """Delete the delivered records of a job that the service no longer needs."""
        with self._writing():
            self._connection.execute("DELETE FROM records WHERE job_id = ? AND delivered_at IS NOT NULL", (job_id,))
            self._connection.execute("DELETE FROM attempts WHERE job_id = ?", (job_id,))

    def prune(self, keep_seconds: float = KEEP_SECONDS) -> int:
        """Delete records delivered more than `keep_seconds` ago; return how many."""
        oldest = time.time() - keep_seconds
        with self._writing():
            self._connection.execute("DELETE FROM attempts WHERE at < ?", (oldest,))
            return self._connection.execute("DELETE FROM records WHERE delivered_at < ?", (oldest,)).rowcount

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the lock and commit at the end; raise DiskFull after a rollback if SQLite cannot write."""
        with self._lock:
            try:
                with self._connection:
                    yield
            except sqlite3.OperationalError as error:
                raise DiskFull(f"{self._path} cannot be written: {error}.", remedy="Make room on its disk.") from error
