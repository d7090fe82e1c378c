"""Database engine with read and write transactions.

SQLite has one writer at a time. A transaction that reads before it writes can fail with a busy database regardless of
the timeout, so write transactions take the lock at their start (BEGIN IMMEDIATE) and are short.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, PoolProxiedConnection, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session

from orchestrator.database.integrity import Integrity
from orchestrator.shared.closable import Closable
from orchestrator.shared.errors import SetupError
from orchestrator.shared.extras import install_command

POSTGRESQL = "postgresql+psycopg"
BUSY_TIMEOUT_MS = 15_000
CACHE_KIB = 512
"""Pages that a connection keeps, instead of 2 MiB: there are up to 15, and the kernel keeps the file's pages anyway."""


ReadSession = Session
"""Session of a read transaction: pages pass it to the services, and read no tables themselves."""


class Database(Closable):
    """Database by URL: ``read()`` opens a read transaction, ``write()`` a short one that is committed at its end."""

    def __init__(self, url: str) -> None:
        """Create the engine; the first transaction opens the first connection."""
        self.url = url
        self.engine = _make_engine(url)
        self.integrity = Integrity(file_of(url))
        self._observer: PoolProxiedConnection | None = None

    @contextmanager
    def read(self) -> Iterator[ReadSession]:
        """Yield a session that sees one consistent state and whose changes are discarded."""
        # Closing rolls the connection back and leaves loaded objects usable; a rollback of the session would expire
        # them.
        with self.explained(), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Yield the session of a write transaction, which is committed at the end or rolled back after an error.

        Raises DatabaseDamaged if the file is known to be damaged, and NoRoom if it cannot be written.
        """
        self.integrity.require_intact()
        with self.explained(), self.engine.connect().execution_options(ciphermark_write=True) as connection:
            with Session(connection, expire_on_commit=False) as session, session.begin():
                yield session
            connection.commit()

    def version(self) -> int | None:
        """Return a number that changes with each commit, for one thread; None on PostgreSQL, which has no such number.

        Equal numbers show that nothing was stored in between, for some microseconds instead of a query's milliseconds.
        """
        if self.engine.dialect.name != "sqlite":
            return None
        with self.explained():
            # The number counts commits of other connections, so that one connection is kept, which stores nothing.
            self._observer = self._observer or self.engine.raw_connection()
            return int(self._observer.cursor().execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Close all connections; one that a thread still uses is closed when the thread returns it."""
        event.listen(self.engine, "checkin", lambda _connection, record: record.invalidate())
        if self._observer is not None:
            self._observer.close()
        self.engine.dispose()

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Raise an error of the driver that the user must act upon as one of Ciphermark."""
        try:
            yield
        except DBAPIError as error:
            cause: BaseException | None = error
            while cause is not None:  # Alembic's deletion of a table that did not fit fails as well.
                explained = self.integrity.explain(cause) if isinstance(cause, DBAPIError) else None
                if explained is not None:
                    raise explained from error
                cause = cause.__context__
            raise


def file_of(url: str) -> Path | None:
    """Return the file of a SQLite database, or None for another database."""
    parsed = _with_driver(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database or parsed.database == ":memory:":
        return None
    return Path(parsed.database)


def _make_engine(url: str) -> Engine:
    parsed = _with_driver(url)
    try:
        engine = create_engine(parsed, pool_pre_ping=parsed.get_backend_name() != "sqlite")
    except ModuleNotFoundError as error:
        raise SetupError(
            f"The driver of the database is not installed: {error}.",
            remedy=f"For PostgreSQL, install it with: {install_command('postgresql')}",
        ) from error
    except NoSuchModuleError as error:
        raise SetupError(
            f"The database {parsed.drivername!r} is not supported.",
            remedy="Set CIPHERMARK_DATABASE_URL to sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE.",
        ) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    elif parsed.drivername == POSTGRESQL:
        event.listen(engine, "connect", _prepare_postgresql)
    return engine


def _with_driver(url: str) -> URL:
    """Return the URL with our driver, if it names none for PostgreSQL; raise SetupError for text that is no URL."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:  # Its message contains the URL, and with it a password.
        raise SetupError(
            "CIPHERMARK_DATABASE_URL is not a URL of a database.",
            remedy="Expected is sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE.",
        ) from error
    if parsed.drivername in ("postgresql", "postgres"):
        return parsed.set(drivername=POSTGRESQL)
    return parsed


def _prepare_postgresql(connection: Any, _record: Any) -> None:
    from psycopg.adapt import Loader  # noqa: PLC0415 - only installed with the extra `postgresql`

    class NumberLoader(Loader):
        """Sums of integers are NUMERIC on PostgreSQL; our figures are int and float, as on SQLite."""

        def load(self, data: Any) -> int | float:
            text = bytes(data).decode()
            return int(text) if text.lstrip("-").isdigit() else float(text)

    connection.adapters.register_loader("numeric", NumberLoader)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver begins transactions late and never immediately; `_begin_sqlite` begins them instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_MS}",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "temp_store = MEMORY",
        f"cache_size = -{CACHE_KIB}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Any) -> None:
    writing = connection.get_execution_options().get("ciphermark_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
