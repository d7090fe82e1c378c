import os
import signal
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.daemon.jobs.journal.file import DiskFull
from orchestrator.daemon.jobs.journal.journal import Journal, key_of
from orchestrator.wire.records import Record
from tests.support.job_records import execution, record
from tests.support.paths import REPOSITORY
from tests.support.small_disk import small_disk


class TestJournal:
    def test_first_record_of_an_execution_is_kept(self, journal: Journal) -> None:
        journal.add(record(1, error="first"))
        journal.add(record(1, error="second"))

        (document,) = journal.waiting(10).values()
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
        journal.mark_delivered(journal.waiting(2))

        assert journal.waiting_count() == 1
        assert len(journal.finished([execution(n) for n in (1, 2, 3)])) == 3

    def test_requeued_records_are_waiting_again(self, journal: Journal) -> None:
        journal.add(record(1))
        journal.mark_delivered(journal.waiting(10))
        assert journal.waiting_jobs() == set()

        journal.requeue([key_of(execution(1))])

        assert journal.waiting_count() == 1
        assert journal.waiting_jobs() == {9}

    def test_new_generation_of_the_database_gets_every_kept_record_again(self, journal: Journal) -> None:
        journal.add(record(1))
        journal.mark_delivered(journal.waiting(10))
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
        journal.mark_delivered(journal.waiting(8))
        size = len(next(iter(journal.waiting(1).values())))
        assert journal.prune(keep_bytes=3 * size) == 5
        assert journal.waiting_count() == 2
        assert journal.note_epoch("a" * 32) is False
        journal.note_epoch("b" * 32)
        assert journal.waiting_count() == 5

    def test_pruning_deletes_only_old_delivered_records(self, journal: Journal) -> None:
        journal.add(record(1))
        journal.add(record(2))
        journal.mark_delivered(journal.waiting(1))

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

    @settings(max_examples=settings.default.max_examples // 4)
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
            delivered += [Record.model_validate_json(document).repetition for document in waiting.values()]
            journal.mark_delivered(waiting)
        while rest := journal.waiting(4):
            delivered += [Record.model_validate_json(document).repetition for document in rest.values()]
            journal.mark_delivered(rest)
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
        pages = journal.connection.execute("PRAGMA page_count").fetchone()[0]
        journal.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(DiskFull, match="Make room"):
            deque((journal.add(record(repetition)) for repetition in range(2, 200)), maxlen=0)
        kept = journal.waiting_count()
        assert kept >= 1

        journal.connection.execute("PRAGMA max_page_count = 100000")
        journal.add(record(999))
        assert journal.waiting_count() == kept + 1

    def test_full_disk_at_the_start_is_reported_with_what_to_do(self, tmp_path: Path) -> None:
        """Regression: SQLite's error, without a remedy, was the daemon's last line."""
        with small_disk(tmp_path / "disk", 1) as disk:
            path = disk.folder / "journal.sqlite"
            Journal(path).close()
            disk.fill()
            with pytest.raises(DiskFull, match="cannot be written") as caught:
                Journal(path)
            assert "Make room" in caught.value.remedy
