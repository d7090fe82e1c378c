"""Room that a journal makes on a disk that is nearly full."""

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.shared.units import MIB
from tests.support.job_records import execution, record
from tests.support.small_disk import small_disk


def _bytes(path: Path) -> int:
    """Return the size of a journal with its log."""
    return sum(found.stat().st_size for found in path.parent.glob(f"{path.name}*"))


def _add_delivered(journal: Journal, repetitions: Iterable[int]) -> None:
    """Add delivered records of 8 KB."""
    for repetition in repetitions:
        journal.add(record(repetition, stderr_tail="x" * 8000))
    journal.mark_delivered(journal.waiting(10_000))


def _kept(journal: Journal) -> set[int]:
    """Return the repetitions that have a record."""
    return {key[1] for key in journal.finished(execution(repetition) for repetition in range(1, 2001))}


@contextmanager
def _journal_on_full_disk(folder: Path, delivered: int) -> Iterator[tuple[Journal, Path]]:
    """Yield a journal with so many delivered records, and its file, on a disk of 40 MiB of which 6 MiB are free."""
    with small_disk(folder, 40) as disk:
        path = disk.folder / "journal.sqlite"
        with Journal(path) as journal:
            _add_delivered(journal, range(1, delivered + 1))
            journal.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
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

    @pytest.mark.long
    def test_oldest_delivered_records_go_and_undelivered_ones_stay(self, journal: Journal, full: Path) -> None:
        before = _bytes(full)

        assert journal.make_room(3_000_000)
        assert before - _bytes(full) >= 3_000_000
        assert journal.waiting_count() == 1
        assert 100 < min(_kept(journal) - {1}) < 400
        assert _kept(journal) >= {1, *range(400, 502)}

    def test_all_delivered_records_go_if_that_is_needed_and_none_in_vain(self, journal: Journal, full: Path) -> None:
        assert not journal.make_room(50_000_000)
        assert len(list(full.parent.glob("*.damaged-*"))) == 1
        assert _kept(journal) == set(range(1, 502))

        assert journal.make_room(4_900_000)
        assert _bytes(full) < 500_000
        assert _kept(journal) == {1}

    @pytest.mark.long
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
                journal.connection.execute("UPDATE records SET record = record || '!'")
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
