"""The engine and its two kinds of transactions.

SQLite has one writer at a time. A transaction that begins by reading and then writes can fail half-way with a busy
database whatever the timeout, so writers say so at once (BEGIN IMMEDIATE) and stay short.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.orm import Session

BUSY_TIMEOUT_MS = 15_000


class Database:
    """A database by URL: ``read()`` for looking, ``write()`` for one short transaction that commits at its end."""

    def __init__(self, url: str) -> None:
        """Open lazily; nothing is touched before the first transaction."""
        self.url = url
        self.engine = _make_engine(url)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Give a session that sees one consistent state and writes nothing."""
        # Closing gives the connection back with a rollback, and leaves what was loaded usable (a rollback of the
        # session would empty it).
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Give the one writer's session; commits at the end, rolls back at any error."""
        with self.engine.connect().execution_options(ciphermark_write=True) as connection:
            with Session(connection, expire_on_commit=False) as session, session.begin():
                yield session
            connection.commit()

    def close(self) -> None:
        """Give back all connections."""
        self.engine.dispose()


def _make_engine(url: str) -> Engine:
    engine = create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver's own transaction handling begins too late and never immediately; we begin ourselves.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_MS}",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "temp_store = MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Any) -> None:
    writing = connection.get_execution_options().get("ciphermark_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
