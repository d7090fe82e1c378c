"""Files are copied before their schema changes, and the copy contains what was committed."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory

from orchestrator.database.migrate import back_up, config_for
from orchestrator.database.revision import expected_revision
from orchestrator.shared.errors import SetupError


def create(path: Path, rows: int) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE notes (text TEXT)")
        connection.executemany("INSERT INTO notes VALUES (?)", [(str(number),) for number in range(rows)])


def count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM notes").fetchone()[0])


def test_copy_is_named_by_revision_and_complete_during_a_write(tmp_path: Path) -> None:
    path = tmp_path / "ciphermark.sqlite"
    create(path, rows=1000)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO notes VALUES ('not committed')")
        backup = back_up(path, "0003")
        writer.execute("ROLLBACK")

    assert backup.name.startswith("ciphermark.sqlite.backup-0003-")
    assert count(backup) == 1000


def test_two_copies_of_a_revision_have_two_names(tmp_path: Path) -> None:
    path = tmp_path / "ciphermark.sqlite"
    create(path, rows=1)

    assert back_up(path, "0001") != back_up(path, "0001")


def test_damaged_file_is_refused_without_leaving_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "ciphermark.sqlite"
    path.write_bytes(b"this is not a database, but has more than a hundred bytes" * 10)
    with pytest.raises(SetupError, match="could not be copied"):
        back_up(path, "0001")

    assert [file.name for file in tmp_path.iterdir()] == ["ciphermark.sqlite"]


def test_expected_revision_is_the_head_of_the_migrations() -> None:
    assert expected_revision() == ScriptDirectory.from_config(config_for("sqlite://")).get_current_head()
