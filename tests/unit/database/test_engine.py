"""Transactions on a SQLite file: writers commit or leave nothing, readers see one state and do not wait for writers."""

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent
from orchestrator.database.rows import stored
from orchestrator.shared.errors import NoRoom
from tests.support.waiting import GENEROUS_SECONDS


def add_agent(database: Database, name: str) -> None:
    with database.write() as session:
        session.add(Agent(id=name, name=name, broker_password_hash="0" * 64))


def add_two_agents(database: Database, first: str, second: str) -> None:
    with database.write() as session:
        stored(session, Agent(id=first, name=first, broker_password_hash="0" * 64))
        session.add(Agent(id=f"new {second}", name=second, broker_password_hash="0" * 64))


def names(database: Database) -> list[str]:
    with database.read() as session:
        return sorted(agent.name for agent in session.query(Agent))


class TestWrite:
    def test_block_with_an_error_changes_nothing(self, database: Database) -> None:
        add_agent(database, "pi")
        with pytest.raises(IntegrityError, match="UNIQUE"):
            add_two_agents(database, "other", "pi")

        assert names(database) == ["pi"]
        add_agent(database, "next")
        assert names(database) == ["next", "pi"]

    def test_second_writer_waits_for_the_first(self, database: Database) -> None:
        # A transaction that began as a reader would fail here with "database is locked".
        started, finished = threading.Event(), threading.Event()

        def second() -> None:
            started.set()
            add_agent(database, "second")
            finished.set()

        thread = threading.Thread(target=second)
        with database.write() as session:
            stored(session, Agent(id="first", name="first", broker_password_hash="0" * 64))
            thread.start()
            assert started.wait(GENEROUS_SECONDS)
            assert not finished.is_set()
        thread.join(GENEROUS_SECONDS)

        assert names(database) == ["first", "second"]


class TestRead:
    def test_reader_sees_one_state_during_a_write(self, database: Database) -> None:
        add_agent(database, "before")
        with database.read() as session:
            assert session.query(Agent).count() == 1
            add_agent(database, "during")
            assert session.query(Agent).count() == 1

        assert names(database) == ["before", "during"]

    def test_changes_of_a_reader_are_not_stored(self, database: Database) -> None:
        with database.read() as session:
            session.add(Agent(id="pi", name="pi", broker_password_hash="0" * 64))

        assert names(database) == []


def test_connections_have_the_documented_pragmas(database: Database) -> None:
    with database.read() as session:
        found = {
            name: session.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }

    assert found == {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1, "busy_timeout": 15_000}


def test_file_in_a_missing_folder_is_an_error_at_the_first_transaction() -> None:
    database = Database("sqlite:////nonexistent/folder/test.sqlite")
    with pytest.raises(NoRoom, match="unable to open"), database.read() as session:
        session.connection()
    database.close()


def test_connection_in_use_is_closed_when_it_is_returned(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'closed.sqlite'}")
    with database.read() as session:
        used = session.connection().connection.dbapi_connection
        database.close()
        assert session.scalar(text("SELECT 1")) == 1
    assert used is not None
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        used.cursor()


class TestDriver:
    def test_missing_driver_of_postgresql_is_named_with_its_package(self) -> None:
        program = (
            "import sys; sys.modules['psycopg'] = None\n"
            "from orchestrator.database.engine import Database\n"
            "from orchestrator.shared.errors import SetupError\n"
            "try: Database('postgresql://user:hunter2@host/name')\n"
            "except SetupError as error: print(error.detail, error.remedy)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert "The driver of the database is not installed" in done.stdout
        assert "psycopg[binary]<4,>=3.2" in done.stdout
        assert "hunter2" not in done.stdout
