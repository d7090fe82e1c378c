"""Upgrade of the schema at the start of a program, after a copy of the database file."""

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import structlog
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import func, inspect, select

from orchestrator.database.engine import Database, file_of
from orchestrator.database.replacement import complete_interrupted
from orchestrator.database.revision import expected_revision, present_revision
from orchestrator.shared.errors import NoRoom, SetupError
from orchestrator.shared.resources import shipped

KEPT_COPIES = 3
"""Copies made before migrations that are kept; older ones are deleted after a new one was made."""
_STAMP_CHARACTERS = len("20261122T120000000000Z")
_MIGRATION_LOCK = 0x6369706865726D6B
"""Key of the advisory lock: ``ciphermk`` in ASCII."""

_log = structlog.get_logger(__name__)


def bring_up_to_date(database_url: str) -> str:
    """Create or upgrade the schema and return its revision.

    A SQLite file that has tables is copied to ``<file>.backup-<revision>-<time>`` before anything changes. Processes
    that start at the same time wait for each other. Raises SetupError for a database of a newer Ciphermark, and for one
    that cannot be written.
    """
    path = file_of(database_url)
    with _exclusively(path):
        if path is not None:
            complete_interrupted(path)
            if not path.exists():
                _create_file(path)
        database = Database(database_url)
        try:
            with _exclusively_on_server(database):
                if database.integrity.damage() is not None:
                    # A backup may have been restored since: nothing could be written before the service's own check.
                    database.integrity.check()
                return _upgrade(database)
        finally:
            database.close()


def config_for(database_url: str) -> Config:
    """Return the configuration of Alembic for a database."""
    config = Config()
    config.set_main_option("script_location", str(shipped("migrations")))
    config.attributes["database_url"] = database_url
    return config


def _upgrade(database: Database) -> str:
    expected = expected_revision()
    present = present_revision(database)
    if present == expected:
        return expected
    config = config_for(database.url)
    _refuse_newer(config, present)
    path = file_of(database.url)
    if path is not None and _has_tables(database):
        database.close()
        backup = back_up(path, present or "none")
        _log.info("database copied before its schema changes", backup=str(backup), revision=present)
    try:
        with database.explained():
            command.upgrade(config, "head")
    except NoRoom as error:
        raise SetupError(error.detail, remedy="Free disk space and start again.") from error
    _log.info("schema is up to date", revision=expected, before=present)
    return expected


def _refuse_newer(config: Config, present: str | None) -> None:
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if present is not None and present not in known:
        raise SetupError(
            f"The database has schema revision {present}, which this version of Ciphermark does not know.",
            remedy="Start the newer version that wrote it, or restore the backup next to the database file.",
            revision=present,
        )


def back_up(path: Path, revision: str) -> Path:
    """Copy a SQLite file, also while it is being written, and return the path of the copy."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    target = path.with_name(f"{path.name}.backup-{revision}-{stamp}")
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)
    except sqlite3.Error as error:
        target.unlink(missing_ok=True)
        raise SetupError(
            f"The database could not be copied to {target.name} before its upgrade: {error}.",
            remedy="Free disk space and start again; nothing was changed.",
        ) from error
    for outdated in sorted(path.parent.glob(f"{path.name}.backup-*"), key=lambda copy: copy.name[-_STAMP_CHARACTERS:])[
        :-KEPT_COPIES
    ]:
        outdated.unlink()
    return target


def _create_file(path: Path) -> None:
    """Create an empty SQLite file whose unused pages can be returned to the file system (`runs delete`)."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("VACUUM")


def _has_tables(database: Database) -> bool:
    with database.read() as session:
        return bool(inspect(session.connection()).get_table_names())


@contextmanager
def _exclusively(path: Path | None) -> Iterator[None]:
    """Hold a lock file during the block, for a database in a file."""
    if path is None:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f"{path.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _exclusively_on_server(database: Database) -> Iterator[None]:
    """Hold an advisory lock of PostgreSQL during the block; other databases have the lock file."""
    if database.engine.dialect.name != "postgresql":
        yield
        return
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(select(func.pg_advisory_lock(_MIGRATION_LOCK)))
        try:
            yield
        finally:
            connection.execute(select(func.pg_advisory_unlock(_MIGRATION_LOCK)))
