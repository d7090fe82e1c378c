"""Damaged files of a journal."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from orchestrator.daemon.jobs.journal.journal import Journal, key_of
from orchestrator.wire.records import Record
from tests.support.job_records import execution, record


def _flip(path: Path, begin: int, count: int = 200) -> None:
    """Invert `count` bytes of a file from an offset."""
    content = bytearray(path.read_bytes())
    content[begin : begin + count] = bytes(byte ^ 0xFF for byte in content[begin : begin + count])
    path.write_bytes(content)


class TestDamage:
    """Regression: a damaged journal restarted the daemon for ever with a traceback (S11)."""

    @staticmethod
    def _filled(path: Path, records: int = 200) -> None:
        journal = Journal(path)
        for repetition in range(1, records + 1):
            journal.add(record(repetition))
        journal.close()  # the last connection moves the WAL into the file

    @pytest.mark.parametrize("where", ["header", "first page", "middle", "end"])
    def test_damaged_file_is_moved_aside_and_readable_records_are_saved(self, tmp_path: Path, where: str) -> None:
        path = tmp_path / "journal.sqlite"
        self._filled(path)
        size = path.stat().st_size
        _flip(path, {"header": 0, "first page": 100, "middle": size // 2 // 4096 * 4096, "end": size - 300}[where])

        journal = Journal(path)
        readable = journal.waiting(1000).values()
        records = [Record.model_validate_json(document) for document in readable]
        assert len({one.repetition for one in records}) == len(records)
        if where in ("middle", "end"):
            assert len(records) > 100
        journal.add(record(1000))
        assert journal.waiting_count() == len(records) + 1
        journal.close()
        if where != "end":
            assert len(list(tmp_path.glob("journal.sqlite.damaged-*"))) >= 1
            assert "was damaged" in journal.notice

    def test_file_that_is_no_database_is_replaced(self, tmp_path: Path) -> None:
        path = tmp_path / "journal.sqlite"
        path.write_bytes(b"not a database " * 1000)
        journal = Journal(path)
        journal.add(record(1))
        assert journal.waiting_count() == 1
        journal.close()

    def test_record_with_changed_bytes_is_never_delivered(self, tmp_path: Path) -> None:
        """SQLite's check does not notice a changed value inside a row."""
        path = tmp_path / "journal.sqlite"
        self._filled(path, records=3)
        content = path.read_bytes()
        assert content.count(b"for a test") == 3
        path.write_bytes(content.replace(b"for a test", b"for a rest", 1))

        journal = Journal(path)
        assert len(journal.waiting(10).values()) == 2
        assert journal.waiting_count() == 2
        assert len(journal.finished([execution(n) for n in (1, 2, 3)])) == 2
        journal.close()

    def test_damage_while_the_journal_is_open_is_repaired(self, tmp_path: Path) -> None:
        path = tmp_path / "journal.sqlite"
        journal = Journal(path)
        for repetition in range(1, 201):
            journal.add(record(repetition))
        journal.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        journal.connection.execute("PRAGMA cache_size = 0")
        _flip(path, 4096, path.stat().st_size - 4096)

        journal.add(record(1000))
        records = [Record.model_validate_json(document) for document in journal.waiting(1000).values()]
        assert key_of(execution(1000)) in map(key_of, records)
        assert "was damaged" in journal.notice
        journal.close()

    def test_torn_write_loses_the_tail_only(self, tmp_path: Path) -> None:
        """After a power failure the write-ahead log may end in the middle of a frame."""
        path = tmp_path / "journal.sqlite"
        journal = Journal(path)
        for repetition in range(1, 101):
            journal.add(record(repetition))
        copy = tmp_path / "after" / "journal.sqlite"
        copy.parent.mkdir()
        copy.write_bytes(path.read_bytes())
        log = path.with_name("journal.sqlite-wal").read_bytes()
        copy.with_name("journal.sqlite-wal").write_bytes(log[: len(log) - 6000] + b"\0" * 3000)
        journal.close()

        after = Journal(copy)
        kept = [Record.model_validate_json(one).repetition for one in after.waiting(1000).values()]
        assert kept == list(range(1, len(kept) + 1))
        assert 90 <= len(kept) < 100
        assert after.notice == ""
        after.close()

    def test_only_the_latest_damaged_files_are_kept(self, tmp_path: Path) -> None:
        path = tmp_path / "journal.sqlite"
        for _ in range(5):
            path.write_bytes(b"not a database " * 1000)
            Journal(path).close()
        assert len(list(tmp_path.glob("journal.sqlite.damaged-*"))) == 3

    def test_journal_of_an_earlier_version_gets_checksums(self, tmp_path: Path) -> None:
        path = tmp_path / "journal.sqlite"
        self._filled(path, records=2)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("ALTER TABLE records DROP COLUMN checksum")
        journal = Journal(path)
        journal.add(record(3))
        assert journal.waiting_count() == len(journal.waiting(10).values()) == 3
        journal.close()
