"""The journal: the record of every finished (case, repetition, purpose), stored while the next one is made.

Records stay until the service has accepted or rejected them, and afterwards for as long as their job may arrive again.
Each agent has one SQLite file, because case numbers belong to one service. A damaged file is moved aside, and a new one
is made of the records that can still be read; the service sends the jobs of the others again.
"""

import sqlite3
import time
from collections.abc import Iterable

import structlog

from orchestrator.daemon.jobs.journal import room
from orchestrator.daemon.jobs.journal.damage import checksum_of, intact_document
from orchestrator.daemon.jobs.journal.file import ADD, JournalFile
from orchestrator.wire.jobs import JobExecution
from orchestrator.wire.records import Record

_log = structlog.get_logger(__name__)

_MARK_UNDELIVERED = "UPDATE records SET delivered_at = NULL WHERE number BETWEEN ? AND ? AND delivered_at IS NOT NULL"
_STORE_ATTEMPT = "INSERT OR REPLACE INTO attempts (job_id, attempt, at) VALUES (?, ?, ?)"

ExecutionKey = tuple[int, int, str]
"""(case, repetition, purpose)."""


def key_of(execution: JobExecution | Record) -> ExecutionKey:
    """Return the permanent key of an execution."""
    return execution.case_id, execution.repetition, execution.purpose


UndeliveredRecords = dict[int, str]
"""Documents of undelivered records by their numbers, oldest first."""


class Journal(JournalFile):
    """The records and attempts in a journal file. Every method may be called from any thread."""

    def require_writable(self) -> None:
        """Write a value. Raises DiskFull."""
        self.store_attempt(0, 0)

    def add(self, *records: Record) -> None:
        """Store the records of finished executions that have none yet, all of them or none. Raises DiskFull."""
        documents = [(record, record.model_dump_json(exclude_defaults=True)) for record in records]
        rows = [
            (*key_of(record), record.job_id, document, time.time(), checksum_of(document))
            for record, document in documents
        ]
        self.write(lambda connection: connection.executemany(ADD, rows))

    def finished(self, executions: Iterable[JobExecution]) -> set[ExecutionKey]:
        """Return the keys of those executions that have a record."""
        requested = {key_of(execution) for execution in executions}
        found: set[ExecutionKey] = set()
        for case_id in {key[0] for key in requested}:
            rows = self.read("SELECT case_id, repetition, purpose FROM records WHERE case_id = ?", case_id)
            found |= {(int(row[0]), int(row[1]), str(row[2])) for row in rows}
        return found & requested

    def requeue(self, keys: Iterable[ExecutionKey]) -> None:
        """Mark records as undelivered, because the service requires them again. Raises DiskFull."""
        rows = list(keys)
        statement = "UPDATE records SET delivered_at = NULL WHERE case_id = ? AND repetition = ? AND purpose = ?"
        self.write(lambda connection: connection.executemany(statement, rows))

    def waiting(self, limit: int) -> UndeliveredRecords:
        """Return up to `limit` of the oldest undelivered records; those with a wrong checksum are deleted."""
        # As bytes: a damaged text may not be decodable.
        rows = self.read(
            "SELECT number, CAST(record AS BLOB), checksum FROM records WHERE delivered_at IS NULL"
            " ORDER BY number LIMIT ?",
            limit,
        )
        documents = {number: intact_document(document, checksum) for number, document, checksum in rows}
        damaged = [(number,) for number, document in documents.items() if document is None]
        if damaged:
            _log.error("damaged records deleted; their executions are made again", records=len(damaged))
            self.write(lambda c: c.executemany("DELETE FROM records WHERE number = ?", damaged))
            return self.waiting(limit)
        return {number: document for number, document in documents.items() if document is not None}

    def waiting_count(self) -> int:
        """Return the number of undelivered records."""
        return int(self.read("SELECT count(*) FROM records WHERE delivered_at IS NULL")[0][0])

    def waiting_jobs(self) -> set[int]:
        """Return the jobs with undelivered records."""
        return {int(row[0]) for row in self.read("SELECT DISTINCT job_id FROM records WHERE delivered_at IS NULL")}

    def mark_delivered(self, numbers: Iterable[int]) -> None:
        """Mark records as delivered: the service has accepted or rejected them."""
        now = time.time()
        rows = [(now, number) for number in numbers]
        self.write(lambda c: c.executemany("UPDATE records SET delivered_at = ? WHERE number = ?", rows))

    def attempt_of(self, job_id: int) -> int:
        """Return the last attempt that the service assigned to the job; 1 if it is unknown."""
        rows = self.read("SELECT attempt FROM attempts WHERE job_id = ?", job_id)
        return int(rows[0][0]) if rows else 1

    def store_attempt(self, job_id: int, attempt: int) -> None:
        """Store the attempt, for a restart while the service is unreachable."""
        self.write(lambda connection: connection.execute(_STORE_ATTEMPT, (job_id, attempt, time.time())))

    def forget_attempts(self, job_id: int) -> None:
        """Delete the attempt of a job that the service no longer needs; its delivered records are kept for a while."""
        self.write(lambda connection: connection.execute("DELETE FROM attempts WHERE job_id = ?", (job_id,)))

    def note_epoch(self, epoch: str) -> bool:
        """Store the generation of the service's database; return whether it changed.

        After a change, every delivered record is undelivered again: the restored database may lack it.
        """
        known = self.read("SELECT epoch FROM epochs")
        if known == [(epoch,)]:
            return False

        if known:
            room.change_in_portions(self, _MARK_UNDELIVERED)

        def change(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM epochs")
            connection.execute("INSERT INTO epochs (epoch) VALUES (?)", (epoch,))

        self.write(change)
        return bool(known)

    def prune(self, keep_seconds: float = room.KEEP_SECONDS, keep_bytes: int = room.KEEP_BYTES) -> int:
        """Delete records delivered more than `keep_seconds` ago, and the oldest beyond a size; return how many."""
        return room.prune(self, keep_seconds, keep_bytes)

    def make_room(self, needed_bytes: int) -> bool:
        """Delete damaged files and delivered records until so many bytes are free; return whether they are."""
        return room.make_room(self, needed_bytes)
