"""The schema comes up to date by itself, equals the models, and goes down and up again."""

import multiprocessing
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect

from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date, config_for
from orchestrator.database.models import Base
from orchestrator.database.revision import expected_revision, present_revision
from orchestrator.shared.errors import SetupError
from tests.support.migrated_database import migrated_settings
from tests.support.small_disk import small_disk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "ciphermark.sqlite"


def _url(path: Path) -> str:
    return f"sqlite:///{path}"


def _table_names(path: Path) -> set[str]:
    database = Database(_url(path))
    try:
        return set(inspect(database.engine).get_table_names())
    finally:
        database.close()


def _backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.backup-*"))


def _migrate(url: str) -> None:
    bring_up_to_date(url)


class TestBringUpToDate:
    def test_empty_database_becomes_the_schema_of_the_models(self, path: Path) -> None:
        assert bring_up_to_date(_url(path)) == expected_revision()
        database = Database(_url(path))
        with database.engine.connect() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            differences = compare_metadata(context, Base.metadata)
            # Alembic does not compare constraints.
            checks = {check["name"] for check in inspect(connection).get_check_constraints("executions")}
        database.close()
        assert differences == []
        assert checks == {"ck_executions_state_is_known"}

    def test_full_disk_is_explained_and_costs_nothing(self, tmp_path: Path) -> None:
        with small_disk(tmp_path / "disk", 3) as disk:
            path = disk.folder / "ciphermark.sqlite"
            disk.fill(leave_bytes=200_000)
            with pytest.raises(SetupError, match=r"disk is full\. Free disk space"):
                bring_up_to_date(_url(path))
            disk.empty()
            assert bring_up_to_date(_url(path)) == expected_revision()

    @pytest.mark.long
    def test_a_second_call_changes_nothing_and_copies_nothing(self, path: Path) -> None:
        bring_up_to_date(_url(path))
        before = path.read_bytes()
        bring_up_to_date(_url(path))
        assert path.read_bytes() == before
        assert _backups(path) == []

    def test_a_file_with_tables_is_copied_before_it_changes(self, path: Path) -> None:
        path.parent.mkdir()
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE notes (text TEXT)")
            connection.execute("INSERT INTO notes VALUES ('from before')")
        bring_up_to_date(_url(path))
        (backup,) = _backups(path)
        with closing(sqlite3.connect(backup)) as connection:
            assert connection.execute("SELECT text FROM notes").fetchall() == [("from before",)]
        assert _table_names(backup) == {"notes"}

    def test_a_newer_database_is_refused_and_left_alone(self, path: Path) -> None:
        migrated_settings(database_url=_url(path))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        with pytest.raises(SetupError, match="9999, which this version of Ciphermark does not know"):
            bring_up_to_date(_url(path))
        assert _backups(path) == []

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_concurrent_processes_migrate_once(self, path: Path) -> None:
        # Without the lock, the slower one fails with "table agents already exists".
        context = multiprocessing.get_context("spawn")
        processes = [context.Process(target=_migrate, args=(_url(path),)) for _ in range(2)]
        for process in processes:
            process.start()
        for process in processes:
            process.join(60)
        assert [process.exitcode for process in processes] == [0, 0]
        assert "runs" in _table_names(path)


class TestDowngrade:
    @pytest.mark.long
    def test_down_to_nothing_and_up_again(self, path: Path) -> None:
        bring_up_to_date(_url(path))
        tables = _table_names(path)
        command.downgrade(config_for(_url(path)), "base")
        assert _table_names(path) == {"alembic_version"}
        assert bring_up_to_date(_url(path)) == expected_revision()
        assert _table_names(path) == tables

    def test_a_database_without_our_schema_has_no_revision(self, path: Path) -> None:
        path.parent.mkdir()
        database = Database(_url(path))
        assert present_revision(database) is None
        database.close()
