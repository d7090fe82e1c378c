"""Alembic's entry: our metadata, our engine, batch mode because SQLite cannot alter a table in place."""

import sqlite3
from typing import Literal, cast

from alembic import context
from sqlalchemy import Connection

from orchestrator.database.engine import Database
from orchestrator.database.models import Base, UTCDateTime
from orchestrator.shared.errors import SetupError
from orchestrator.shared.settings import ServiceSettings


def _database_url() -> str:
    given = context.config.attributes.get("database_url")
    return str(given) if given else ServiceSettings().resolved_database_url


def _switch_foreign_keys(connection: Connection, word: str) -> None:
    # Not through SQLAlchemy, which would begin a transaction, inside which SQLite ignores this.
    driver = cast(sqlite3.Connection, connection.connection.dbapi_connection)
    driver.execute(f"PRAGMA foreign_keys = {word}")


def _check_foreign_keys(connection: Connection) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(5)
    if broken:
        raise SetupError(f"The migration would leave rows that refer to nothing: {broken}.", remedy="Report it.")


def _render_item(kind: str, item: object, _context: object) -> str | Literal[False]:
    # A migration is frozen: it names the column's type as the database has it, not a class that may change.
    return "sa.DateTime()" if kind == "type" and isinstance(item, UTCDateTime) else False


def migrate() -> None:
    """Migrate in one transaction.

    Batch mode drops and renames tables, so foreign keys are off during the migration and checked before the commit.
    """
    database = Database(_database_url())
    try:
        with database.engine.connect().execution_options(ciphermark_write=True) as connection:
            sqlite = connection.dialect.name == "sqlite"
            if sqlite:
                _switch_foreign_keys(connection, "OFF")
            context.configure(
                connection=connection,
                target_metadata=Base.metadata,
                render_as_batch=True,
                render_item=_render_item,
                # Alembic thinks that SQLite cannot roll a table back; it can, where we begin by ourselves.
                transactional_ddl=True,
            )
            with context.begin_transaction():
                context.run_migrations()
                if sqlite:
                    _check_foreign_keys(connection)
            if sqlite:
                _switch_foreign_keys(connection, "ON")
    finally:
        database.close()


migrate()
