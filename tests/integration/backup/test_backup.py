"""Backups of a real database: made while it is written, verified, limited, and restored with a new generation."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.database import generation, usage
from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.database.models import Agent, AuditEntry, Case, Job, now
from orchestrator.results import ingest
from orchestrator.service.audit.repository import note_program
from orchestrator.service.backup import making, restoring
from orchestrator.service.backup.schedule import BackupStep
from orchestrator.service.security import tokens
from orchestrator.shared.errors import AlreadyRunning, SetupError
from orchestrator.shared.settings import ServiceSettings
from orchestrator.wire.records import RecordBatch
from tests.support import postgresql
from tests.support.live_service import serve
from tests.support.result_world import AGENT, World, record
from tests.support.seldom import seldom

pytestmark = pytest.mark.skipif(postgresql.is_selected(), reason="PostgreSQL has its own tools, which are named")


def store(database: Database, *records: Any) -> Any:
    return ingest.store(database, AGENT, RecordBatch(records=list(records)))


def waiting_for(world: World) -> int:
    return world.run(["own"], repetitions=20)["own"]


class TestMaking:
    def test_backup_contains_what_was_stored_and_is_private(self, world: World) -> None:
        case_id = waiting_for(world)
        store(world.database, record(case_id, 1))
        backup = making.make(world.settings)
        assert backup.description.executions == 1
        assert making.read(backup.folder) == backup
        assert {path.stat().st_mode & 0o077 for path in (backup.folder, *backup.folder.iterdir())} == {0}
        with closing(sqlite3.connect(backup.folder / making.DATABASE_FILE)) as copy:
            assert copy.execute("SELECT count(*) FROM executions WHERE state = 'ok'").fetchone() == (1,)

    def test_no_secret_is_copied(self, world: World) -> None:
        settings = ServiceSettings.model_validate(
            {"data_folder": world.settings.data_folder, "redis_url": "redis://:hunter2@localhost/0", "port": 9000}
        )
        text = (making.make(settings).folder / making.DESCRIPTION_FILE).read_text()
        assert "hunter2" not in text
        assert json.loads(text)["settings"]["port"] == "9000"

    def test_file_in_place_of_the_folder_is_named(self, world: World, tmp_path: Path) -> None:
        file = tmp_path / "file"
        file.touch()
        with pytest.raises(SetupError, match="file is not a folder") as refused:
            making.make(world.settings, to=file)
        assert "--to" in refused.value.remedy

    def test_damaged_database_gives_no_backup(self, world: World) -> None:
        file = world.settings.data_folder / "ciphermark.sqlite"
        world.database.close()
        data = bytearray(file.read_bytes())
        for page in range(2, len(data) // 4096, 3):
            data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
        file.write_bytes(data)
        with pytest.raises(SetupError):
            making.make(world.settings)
        assert making.list_backups(world.settings.resolved_backup_folder) == []

    def test_oldest_backups_beyond_the_number_kept_are_deleted(self, world: World) -> None:
        made = [making.make(world.settings).folder for _ in range(4)]
        interrupted, running = (made[0].with_name(f"ciphermark-{one}.partial") for one in ("old", "new"))
        interrupted.mkdir()
        os.utime(interrupted, (0, 0))
        running.mkdir()
        assert list(making.prune(world.settings.resolved_backup_folder, 2)) == [made[1], made[0], interrupted]
        assert running.exists()
        assert [one.folder for one in making.list_backups(world.settings.resolved_backup_folder)] == [made[3], made[2]]

    def test_scheduler_makes_a_backup_when_the_newest_is_old(self, world: World) -> None:
        step = BackupStep(world.settings)
        assert step.step()
        step.wait()
        assert len(making.list_backups(world.settings.resolved_backup_folder)) == 1
        assert not BackupStep(world.settings).step()

    def test_database_on_a_server_is_refused_with_its_tools(self, tmp_path: Path) -> None:
        settings = ServiceSettings(data_folder=tmp_path, database_url="postgresql://user:hunter2@host/name")
        with pytest.raises(SetupError, match="server") as refused:
            making.make(settings)
        assert "pg_dump" in refused.value.remedy
        assert "hunter2" not in str(refused.value)


class TestRestoring:
    def test_restored_database_begins_a_generation_and_keeps_the_replaced_one(self, world: World) -> None:
        case_id = waiting_for(world)
        store(world.database, record(case_id, 1))
        with world.database.read() as session:
            before = generation.current(session).epoch
        backup = making.make(world.settings)
        store(world.database, record(case_id, 2))
        world.database.close()
        replaced = restoring.restore(world.settings, backup.folder).replaced
        assert world.states(case_id)[:3] == ["ok", "waiting", "waiting"]
        with world.database.read() as session:
            now = generation.current(session)
        assert now.epoch != before
        assert now.backup_made_at == backup.description.made_at
        assert replaced is not None
        with closing(sqlite3.connect(replaced)) as old:
            assert old.execute("SELECT count(*) FROM executions WHERE state = 'ok'").fetchone() == (2,)

    def test_what_was_revoked_after_the_backup_stays_revoked(self, world: World) -> None:
        """Regression: a restore made a stolen token valid again (S115)."""
        with world.database.write() as session:
            token, plain = tokens.create(session, "admin", "stolen")
            token_id = token.id
        backup = making.make(world.settings)
        with world.database.write() as session:
            tokens.revoke(session, token_id)
            session.get_one(Agent, AGENT).revoked_at = now()
        world.database.close()
        assert restoring.restore(world.settings, backup.folder).revocations_kept
        with world.database.read() as session:
            assert tokens.find(session, plain) is None
            assert session.get_one(Agent, AGENT).revoked_at is not None

    def test_audit_log_is_complete_after_a_restore(self, world: World) -> None:
        backup = making.make(world.settings)
        with world.database.write() as session:
            note_program(session, "revoke-token", "stolen", "test")
        world.database.close()
        restoring.restore(world.settings, backup.folder)
        with world.database.read() as session:
            found = session.execute(select(AuditEntry.action, AuditEntry.object_id).order_by(AuditEntry.id)).all()
        assert [tuple(one) for one in found] == [
            ("make-backup", backup.folder.name), ("revoke-token", "stolen"), ("restore-backup", backup.folder.name),
        ]  # fmt: skip

    def test_database_without_the_audit_log_is_backed_up(self, world: World) -> None:
        with world.database.write() as session:
            session.connection().exec_driver_sql("DROP TABLE audit_entries")
        world.database.close()
        assert making.read(making.make(world.settings).folder)

    def test_unknown_revocations_are_reported(self, world: World) -> None:
        backup = making.make(world.settings)
        world.database.close()
        making.database_file(world.settings).write_bytes(b"not a database")
        assert not restoring.restore(world.settings, backup.folder).revocations_kept

    def test_numbers_given_after_the_backup_are_not_given_again(self, world: World) -> None:
        # A journal knows its records by the number of the case: a new case must not get an old record.
        waiting_for(world)
        backup = making.make(world.settings)
        world.database.close()
        restoring.restore(world.settings, backup.folder)
        with world.database.write() as session:
            first = generation.current(session).first_id
            assert first > generation.ID_GAP
            for table in (Case, Job):
                (row,) = generation.numbered(session, table, [{"run_id": "x"}])
                assert row == {"id": first, "run_id": "x"}

    @pytest.mark.long
    def test_database_in_use_is_refused(self, world: World) -> None:
        backup = making.make(world.settings)
        with world.database.read() as session:
            generation.current(session)
            # In another process, because a process never conflicts with its own locks.
            refused = _restore_elsewhere(world.settings, backup.folder)
        assert AlreadyRunning.__name__ in refused

    @pytest.mark.long
    def test_database_of_an_idle_service_is_refused(self, tmp_path: Path) -> None:
        # The restore succeeded: without an open connection, the service had no lock of SQLite.
        with serve(tmp_path / "data") as served:
            backup = making.make(served.settings)
            served.database.engine.dispose()
            refused = _restore_elsewhere(served.settings, backup.folder)
        assert AlreadyRunning.__name__ in refused
        assert _restore_elsewhere(served.settings, backup.folder) == ""

    def test_service_does_not_start_during_a_restore(self, world: World) -> None:
        path = making.database_file(world.settings)
        world.database.close()
        with (
            usage.replaced(path),
            pytest.raises(AlreadyRunning, match="is being restored"),
            usage.in_use(world.database.url),
        ):
            pass

    def test_changed_backup_is_refused_and_nothing_changes(self, world: World) -> None:
        case_id = waiting_for(world)
        backup = making.make(world.settings)
        store(world.database, record(case_id, 1))
        with (backup.folder / making.DATABASE_FILE).open("ab") as file:
            file.write(b"x")
        world.database.close()
        with pytest.raises(SetupError, match="was changed"):
            restoring.restore(world.settings, backup.folder)
        assert world.states(case_id)[0] == "ok"

    def test_lost_database_is_restored_and_journal_delivers_again(self, world: World, tmp_path: Path) -> None:
        # S12: 500 executions after the backup, then the database is lost; the journal has all of them.
        case_id = world.run(["own"], repetitions=600)["own"]
        journal = Journal(tmp_path / "journal.sqlite")
        with world.database.read() as session:
            journal.note_epoch(generation.current(session).epoch)
        records = [record(case_id, i) for i in range(1, 601)]
        store(world.database, *records[:100])
        backup = making.make(world.settings)
        store(world.database, *records[100:])
        for one in records:
            journal.add(one)
        journal.mark_delivered(journal.waiting(1000))
        world.database.close()
        for file in world.settings.data_folder.glob("ciphermark.sqlite*"):
            file.unlink()
        restoring.restore(world.settings, backup.folder)
        with world.database.read() as session:
            assert journal.note_epoch(generation.current(session).epoch)
        documents = journal.waiting(1000).values()
        answer = ingest.store(
            world.database, AGENT, RecordBatch.model_validate_json(f'{{"records":[{",".join(documents)}]}}')
        )
        assert (answer.stored, answer.known, answer.refused) == (500, 100, {})
        assert world.states(case_id) == ["ok"] * 600
        journal.close()

    @pytest.mark.parametrize("renames", [3, *seldom(0, 1, 2, 4, 5)])
    def test_killed_restore_changed_nothing_or_is_completed_at_the_next_start(self, world: World, renames: int) -> None:
        """Regression: killed between two renames, it left no database, and the next start made an empty one."""
        case_id = waiting_for(world)
        store(world.database, record(case_id, 1))
        backup = making.make(world.settings)
        world.database.close()
        file = making.database_file(world.settings)
        _write_without_checkpoint(file, case_id)
        killed = _restore_elsewhere(world.settings, backup.folder, renames)
        bring_up_to_date(world.settings.resolved_database_url)
        asides = list(file.parent.glob("ciphermark.sqlite.replaced-*Z"))
        if not asides:
            assert _ended(file) == 2, "the database lost what was in its write-ahead log"
            return
        assert (_ended(file), _ended(asides[0])) == (1, 2)
        assert len(asides) == 1
        assert killed or _restore_elsewhere(world.settings, backup.folder) == ""

    def test_records_of_jobs_that_a_restored_database_never_sent_are_stored(self, world: World) -> None:
        """Regression: they were refused, and the agent's page listed each as one of a job that it never claimed."""
        case_id = waiting_for(world)
        _never_sent(world)
        made_before = record(case_id, 1)
        backup = making.make(world.settings)
        made_since = record(case_id, 2)
        world.database.close()
        restoring.restore(world.settings, backup.folder)
        later = {"started_at": now() + timedelta(hours=1)}
        answer = store(world.database, made_since, made_before, record(case_id, 3), record(case_id, 4, **later))
        assert (answer.stored, sorted(answer.refused)) == (
            1, [f"{case_id}/1/timing", f"{case_id}/3/timing", f"{case_id}/4/timing"]
        )  # fmt: skip
        assert world.states(case_id)[:4] == ["waiting", "ok", "waiting", "waiting"]


def _never_sent(world: World) -> None:
    with world.database.write() as session:
        session.execute(update(Job).values(state="waiting", sent_at=None))


def _write_without_checkpoint(file: Path, case_id: int) -> None:
    """Commit a second result that is in the write-ahead log only, by a process that is killed."""
    change = f"UPDATE executions SET state = 'ok' WHERE case_id = {case_id} AND repetition = 2"
    program = f"import os, sqlite3; c = sqlite3.connect({str(file)!r}); c.execute({change!r}); c.commit(); os._exit(0)"
    subprocess.run([sys.executable, "-c", program], check=True)
    assert file.with_name(f"{file.name}-wal").stat().st_size


def _ended(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        (number,) = connection.execute("SELECT count(*) FROM executions WHERE state <> 'waiting'").fetchone()
    return int(number)


def _restore_elsewhere(settings: ServiceSettings, folder: Path, renames: int | None = None) -> str:
    """Restore in another process, which is killed before its next rename after this number; return its stderr."""
    program = (
        "import os, signal, sys; from pathlib import Path; from orchestrator.shared.settings import ServiceSettings;"
        "from orchestrator.service.backup.restoring import restore;"
        "left = [int(sys.argv[3])];"
        "count = lambda: left.append(left.pop() - 1) or left[0] == -1 and os.kill(os.getpid(), signal.SIGKILL);"
        "sys.addaudithook(lambda event, _: event == 'os.rename' and count());"
        "restore(ServiceSettings(data_folder=Path(sys.argv[1])), Path(sys.argv[2]))"
    )
    limit = "1000000" if renames is None else str(renames)
    command = [sys.executable, "-c", program, str(settings.data_folder), str(folder), limit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"killed by signal {-done.returncode}" if done.returncode < 0 else done.stderr
