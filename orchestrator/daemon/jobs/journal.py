"""The journal: every finished (case, repetition, purpose) with its record, durable before the next one begins.

It is the spool too: a record stays in it until the service has answered for it, and afterwards for as long as
its job may arrive a second time. One SQLite file per agent, as case numbers mean nothing to another service.
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
"""Delivered records of a job whose end was never confirmed are kept this long."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
    number INTEGER PRIMARY KEY,
    case_id INTEGER NOT NULL,
    repetition INTEGER NOT NULL,
    purpose TEXT NOT NULL,
    job_id INTEGER NOT NULL,
    record TEXT NOT NULL,       -- JSON of wire.records.Record, sent as it is
    finished_at REAL NOT NULL,  -- seconds since 1970
    delivered_at REAL,          -- NULL while it waits for the service
    UNIQUE (case_id, repetition, purpose)
);
CREATE INDEX IF NOT EXISTS records_waiting ON records (number) WHERE delivered_at IS NULL;
CREATE INDEX IF NOT EXISTS records_of_job ON records (job_id);
CREATE TABLE IF NOT EXISTS attempts (job_id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL, at REAL NOT NULL);
"""

ExecutionKey = tuple[int, int, str]
"""(case, repetition, purpose)."""


class DiskFull(SetupError):
    """The disk is full: nothing more is measured until there is room."""


def key_of(execution: JobExecution | Record) -> ExecutionKey:
    """Return what names an execution for ever."""
    return execution.case_id, execution.repetition, execution.purpose


@dataclass(frozen=True)
class Waiting:
    """Records that the service has not answered for."""

    numbers: list[int]
    documents: list[str]


class Journal:
    """The file; its methods may be called from any thread."""

    def __init__(self, path: Path) -> None:
        """Open or make the file."""
        self._path = path
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        # WAL without a sync per commit survives the daemon's kill -9; a power cut may take the last executions,
        # which are then measured again, and the service keeps the first record of each.
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(_SCHEMA)

    def add(self, record: Record) -> None:
        """Keep a finished execution; the first record of an execution stays. Raises DiskFull."""
        row = (*key_of(record), record.job_id, record.model_dump_json(exclude_defaults=True), time.time())
        with self._writing():
            self._connection.execute(
                "INSERT OR IGNORE INTO records (case_id, repetition, purpose, job_id, record, finished_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                row,
            )

    def finished(self, executions: Iterable[JobExecution]) -> set[ExecutionKey]:
        """Return those of the executions that have a record here."""
        wanted = {key_of(execution) for execution in executions}
        found: set[ExecutionKey] = set()
        with self._lock:
            for case_id in {key[0] for key in wanted}:
                rows = self._connection.execute(
                    "SELECT case_id, repetition, purpose FROM records WHERE case_id = ?", (case_id,)
                )
                found |= {(int(row[0]), int(row[1]), str(row[2])) for row in rows}
        return found & wanted

    def requeue(self, keys: Iterable[ExecutionKey]) -> None:
        """Put records that were delivered once back among the waiting: the service asked for them again."""
        with self._writing():
            self._connection.execute("BEGIN")
            self._connection.executemany(
                "UPDATE records SET delivered_at = NULL WHERE case_id = ? AND repetition = ? AND purpose = ?", keys
            )

    def waiting(self, limit: int) -> Waiting:
        """Return the oldest records that wait for the service."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT number, record FROM records WHERE delivered_at IS NULL ORDER BY number LIMIT ?", (limit,)
            ).fetchall()
        return Waiting([row[0] for row in rows], [row[1] for row in rows])

    def waiting_count(self) -> int:
        """Return how many records wait for the service."""
        with self._lock:
            row = self._connection.execute("SELECT count(*) FROM records WHERE delivered_at IS NULL").fetchone()
        return int(row[0])

    def waiting_jobs(self) -> set[int]:
        """Return the jobs whose records wait for the service."""
        with self._lock:
            rows = self._connection.execute("SELECT DISTINCT job_id FROM records WHERE delivered_at IS NULL")
            return {int(row[0]) for row in rows}

    def mark_delivered(self, numbers: Iterable[int]) -> None:
        """The service has answered for these."""
        now = time.time()
        with self._writing():
            self._connection.execute("BEGIN")
            self._connection.executemany(
                "UPDATE records SET delivered_at = ? WHERE number = ?", [(now, number) for number in numbers]
            )

    def attempt_of(self, job_id: int) -> int:
        """Return the last attempt that the service counted for the job; 1 when it was never told."""
        with self._lock:
            row = self._connection.execute("SELECT attempt FROM attempts WHERE job_id = ?", (job_id,)).fetchone()
        return int(row[0]) if row else 1

    def store_attempt(self, job_id: int, attempt: int) -> None:
        """Keep the attempt, for a restart while the service is away."""
        with self._writing():
            self._connection.execute(
                "INSERT OR REPLACE INTO attempts (job_id, attempt, at) VALUES (?, ?, ?)", (job_id, attempt, time.time())
            )

    def delete_job(self, job_id: int) -> None:
        """The service needs nothing more of this job: drop its delivered records."""
        with self._writing():
            self._connection.execute("DELETE FROM records WHERE job_id = ? AND delivered_at IS NOT NULL", (job_id,))
            self._connection.execute("DELETE FROM attempts WHERE job_id = ?", (job_id,))

    def prune(self, keep_seconds: float = KEEP_SECONDS) -> int:
        """Drop records delivered longer ago than that; returns how many."""
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
        """Hold the lock; commit what was begun, or take it back when the disk has no room."""
        with self._lock:
            try:
                with self._connection:
                    yield
            except sqlite3.OperationalError as error:
                raise DiskFull(f"{self._path} cannot be written: {error}.", remedy="Make room on its disk.") from error
