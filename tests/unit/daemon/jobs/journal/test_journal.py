import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.daemon.jobs.journal.journal import DiskFull, Journal, key_of
from orchestrator.units import MIB
from orchestrator.wire.records import Record
from tests.support.job_records import execution, record
from tests.support.paths import REPOSITORY
from tests.support.small_disk import small_disk


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal(tmp_path / "journal.sqlite")
    yield journal
    journal.close()


class TestJournal:
    def test_first_record_of_an_execution_is_kept(self, journal: Journal) -> None:
        journal.add(record(1, error="first"))
        journal.add(record(1, error="second"))

        (document,) = journal.waiting(10).documents
        kept = Record.model_validate_json(document)
        assert kept.failure is not None
        assert kept.failure.error == "first"

    def test_finished_executions_are_identified_by_case_repetition_and_purpose(self, journal: Journal) -> None:
        journal.add(record(1))
        journal.add(record(2, case_id=5))

        executions = [execution(1), execution(2), execution(2, case_id=5)]
        assert journal.finished(executions) == {key_of(executions[0]), key_of(executions[2])}

    def test_delivered_records_are_finished_and_not_waiting(self, journal: Journal) -> None:
        for repetition in (1, 2, 3):
            journal.add(record(repetition))
        journal.mark_delivered(journal.waiting(2).numbers)

        assert journal.waiting_count() == 1
        assert len(journal.finished([execution(n) for n in (1, 2, 3)])) == 3

    def test_requeued_records_are_waiting_again(self, journal: Journal) -> None:
        journal.add(record(1))
        journal.mark_delivered(journal.waiting(10).numbers)
        assert journal.waiting_jobs() == set()

        journal.requeue([key_of(execution(1))])

        assert journal.waiting_count() == 1
        assert journal.waiting_jobs() == {9}

    def test_new_generation_of_the_database_gets_every_kept_record_again(self, journal: Journal) -> None:
        journal.add(record(1))
        journal.mark_delivered(journal.waiting(10).numbers)
        journal.forget_attempts(9)
        assert not journal.note_epoch("a" * 32)  # The first one that this daemon sees.
        assert not journal.note_epoch("a" * 32)
        assert journal.waiting_count() == 0
        assert journal.note_epoch("b" * 32)
        assert journal.waiting_count() == 1
        assert not journal.note_epoch("b" * 32)

    def test_oldest_delivered_records_beyond_the_size_are_deleted(self, journal: Journal) -> None:
        for repetition in range(1, 11):
            journal.add(record(repetition))
        journal.mark_delivered(journal.waiting(8).numbers)
        size = len(journal.waiting(1).documents[0])
        assert journal.prune(keep_bytes=3 * size) == 5
        assert journal.waiting_count() == 2
        assert journal.note_epoch("a" * 32) is False
        journal.note_epoch("b" * 32)
        assert journal.waiting_count() == 5

    def test_pruning_deletes_only_old_delivered_records(self, journal: Journal) -> None:
        journal.add(record(1))
        journal.add(record(2))
        journal.mark_delivered(journal.waiting(1).numbers)

        assert journal.prune(keep_seconds=3600) == 0
        assert journal.prune(keep_seconds=-1) == 1
        assert journal.waiting_count() == 1

    def test_attempt_survives_a_restart(self, journal: Journal, tmp_path: Path) -> None:
        assert journal.attempt_of(9) == 1
        journal.store_attempt(9, 3)
        journal.close()

        again = Journal(tmp_path / "journal.sqlite")
        assert again.attempt_of(9) == 3
        again.close()

    @settings(max_examples=25)
    @given(batches=st.lists(st.lists(st.integers(1, 12), max_size=6), max_size=6))
    def test_each_execution_is_delivered_once_in_any_order(
        self, tmp_path_factory: pytest.TempPathFactory, batches: list[list[int]]
    ) -> None:
        journal = Journal(tmp_path_factory.mktemp("journal") / "journal.sqlite")
        delivered: list[int] = []
        for batch in batches:
            for repetition in batch:
                journal.add(record(repetition))
            waiting = journal.waiting(4)
            delivered += [Record.model_validate_json(document).repetition for document in waiting.documents]
            journal.mark_delivered(waiting.numbers)
        while (rest := journal.waiting(4)).numbers:
            delivered += [Record.model_validate_json(document).repetition for document in rest.documents]
            journal.mark_delivered(rest.numbers)
        journal.close()
        assert sorted(delivered) == sorted({repetition for batch in batches for repetition in batch})

    def test_kill_of_the_process_loses_no_record(self, tmp_path: Path) -> None:
        """Without a sync at each commit, only a power failure may lose records."""
        path = tmp_path / "journal.sqlite"
        script = (
            "import os, signal, sys\n"
            "from pathlib import Path\n"
            "from orchestrator.daemon.jobs.journal.journal import Journal\n"
            "from tests.support.job_records import record\n"
            "journal = Journal(Path(sys.argv[1]))\n"
            "for repetition in range(1, 51): journal.add(record(repetition))\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        root = REPOSITORY
        ended = subprocess.run([sys.executable, "-c", script, str(path)], cwd=root, check=False, env=dict(os.environ))
        assert ended.returncode == -signal.SIGKILL

        journal = Journal(path)
        assert journal.waiting_count() == 50
        journal.close()

    def test_full_disk_is_reported_and_loses_no_record(self, journal: Journal) -> None:
        """SQLite's page limit simulates a full disk: it raises the same error as ENOSPC."""
        journal.add(record(1))
        pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(DiskFull, match="Make room"):
            deque((journal.add(record(repetition)) for repetition in range(2, 200)), maxlen=0)
        kept = journal.waiting_count()
        assert kept >= 1

        journal._connection.execute("PRAGMA max_page_count = 100000")
        journal.add(record(999))
        assert journal.waiting_count() == kept + 1


def _flip(path: Path, begin: int, count: int = 200) -> None:
    """Invert `count` bytes of a file from an offset."""
    content = bytearray(path.read_bytes())
    content[begin : begin + count] = bytes(byte ^ 0xFF for byte in content[begin : begin + count])
    path.write_bytes(content)


def _bytes(path: Path) -> int:
    """Return the size of a journal with its log."""
    return sum(found.stat().st_size for found in path.parent.glob(f"{path.name}*"))


def _add_delivered(journal: Journal, repetitions: Iterable[int]) -> None:
    """Add delivered records of 8 KB."""
    for repetition in repetitions:
        journal.add(record(repetition, stderr_tail="x" * 8000))
    journal.mark_delivered(journal.waiting(10_000).numbers)


def _kept(journal: Journal) -> set[int]:
    """Return the repetitions that have a record."""
    return {key[1] for key in journal.finished(execution(repetition) for repetition in range(1, 2001))}


@contextmanager
def _journal_on_full_disk(folder: Path, delivered: int) -> Iterator[tuple[Journal, Path]]:
    """Yield a journal with so many delivered records, and its file, on a disk of 40 MiB of which 6 MiB are free."""
    with small_disk(folder, 40) as disk:
        path = disk.folder / "journal.sqlite"
        with closing(Journal(path)) as journal:
            _add_delivered(journal, range(1, delivered + 1))
            journal._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            disk.fill(leave_bytes=6 * MIB)
            yield journal, path


class TestMakeRoom:
    @pytest.fixture
    def full(self, journal: Journal, tmp_path: Path) -> Path:
        """Return the file of a journal with 4 MB of delivered records, one undelivered and 1 MB of a damaged file."""
        _add_delivered(journal, range(2, 502))
        journal.add(record(1))
        (tmp_path / "journal.sqlite.damaged-20261123T000000000000Z").write_bytes(b"!" * 1_000_000)
        return tmp_path / "journal.sqlite"

    def test_damaged_files_go_first(self, journal: Journal, full: Path) -> None:
        before = full.stat().st_size

        assert journal.make_room(900_000)
        assert list(full.parent.glob("*.damaged-*")) == []
        assert full.stat().st_size == before

    def test_oldest_delivered_records_go_and_undelivered_ones_stay(self, journal: Journal, full: Path) -> None:
        before = _bytes(full)

        assert journal.make_room(3_000_000)
        assert before - _bytes(full) >= 3_000_000
        assert journal.waiting_count() == 1
        assert 100 < min(_kept(journal) - {1}) < 400
        assert _kept(journal) >= {1, *range(400, 502)}

    def test_all_delivered_records_go_if_that_is_needed(self, journal: Journal, full: Path) -> None:
        assert journal.make_room(4_900_000)
        assert _bytes(full) < 500_000
        assert _kept(journal) == {1}

    def test_room_is_made_on_a_disk_that_lacks_room_for_a_log_of_all_records(self, tmp_path: Path) -> None:
        """Regression: in a soak test, deleting 86 MB took the last 48 MB of the disk for SQLite's log, for ever."""
        with _journal_on_full_disk(tmp_path / "disk", delivered=1600) as (journal, path):
            before = _bytes(path)

            assert journal.make_room(10_000_000)
            assert before - _bytes(path) >= 10_000_000
            assert max(_kept(journal)) == 1600

    def test_log_of_a_change_that_found_no_room_is_given_back(self, tmp_path: Path) -> None:
        with _journal_on_full_disk(tmp_path / "disk", delivered=1000) as (journal, path):
            with pytest.raises(sqlite3.OperationalError, match="full"):
                journal._connection.execute("UPDATE records SET record = record || '!'")
            assert shutil.disk_usage(path.parent).free < 1_000_000

            assert journal.make_room(3_000_000)
            assert shutil.disk_usage(path.parent).free > 8_000_000

    def test_journal_of_an_earlier_version_gives_up_all_delivered_records(self, tmp_path: Path) -> None:
        """Its file cannot return single pages."""
        path = tmp_path / "journal.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA auto_vacuum = NONE")
            connection.execute("CREATE TABLE epochs (epoch TEXT PRIMARY KEY)")
        journal = Journal(path)
        _add_delivered(journal, range(1, 501))
        journal.add(record(501))

        assert journal.make_room(3_000_000)
        assert _bytes(path) < 500_000
        assert _kept(journal) == {501}
        _add_delivered(journal, range(502, 1002))
        assert journal.make_room(1_000_000)
        assert 100 < len(_kept(journal)) < 500, "its new form returns pages"
        journal.close()

    def test_nothing_is_given_up_in_vain(self, journal: Journal, full: Path) -> None:
        assert not journal.make_room(50_000_000)
        assert len(list(full.parent.glob("*.damaged-*"))) == 1
        assert len(journal.finished([execution(number) for number in range(1, 502)])) == 501


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
        readable = journal.waiting(1000).documents
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
        assert len(journal.waiting(10).documents) == 2
        assert journal.waiting_count() == 2
        assert len(journal.finished([execution(n) for n in (1, 2, 3)])) == 2
        journal.close()

    def test_damage_while_the_journal_is_open_is_repaired(self, tmp_path: Path) -> None:
        path = tmp_path / "journal.sqlite"
        journal = Journal(path)
        for repetition in range(1, 201):
            journal.add(record(repetition))
        journal._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        journal._connection.execute("PRAGMA cache_size = 0")
        _flip(path, 4096, path.stat().st_size - 4096)

        journal.add(record(1000))
        assert execution_keys(journal) >= {key_of(execution(1000))}
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
        kept = [Record.model_validate_json(one).repetition for one in after.waiting(1000).documents]
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
        assert journal.waiting_count() == len(journal.waiting(10).documents) == 3
        journal.close()


def execution_keys(journal: Journal) -> set[tuple[int, int, str]]:
    return {key_of(Record.model_validate_json(document)) for document in journal.waiting(1000).documents}
