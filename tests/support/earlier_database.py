"""A SQLite file of an earlier version with a few rows, and the same file after its migration to this version."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command

from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date, config_for

AT = datetime(2026, 11, 22, tzinfo=UTC).replace(tzinfo=None)
"""Every time in these files, as SQLite stores it: UTC without a zone."""
_VALUES: tuple[tuple[type[sa.types.TypeEngine[Any]], Any], ...] = (
    (sa.Boolean, False), (sa.Integer, 0), (sa.Float, 0.0), (sa.DateTime, AT), (sa.JSON, {}), (sa.String, ""),
)  # fmt: skip


def earlier_database(folder: Path, revision: str, rows: Iterable[tuple[str, dict[str, Any]]]) -> str:
    """Return the URL of a new file with the schema of a revision and these rows of its tables, in their order.

    A required column that a row lacks gets an empty value of its type.
    """
    url = f"sqlite:///{folder / 'ciphermark.sqlite'}"
    command.upgrade(config_for(url), revision)
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for name, values in rows:
            table = sa.Table(name, sa.MetaData(), autoload_with=connection)
            required = {
                column.name: next(value for kind, value in _VALUES if isinstance(column.type, kind))
                for column in table.columns
                if not (column.nullable or column.primary_key or column.name in values)
            }
            connection.execute(table.insert().values(**required | values))
    engine.dispose()
    return url


@contextmanager
def migrated(url: str) -> Iterator[Database]:
    """Migrate a file to the schema of this version and open it until the end of the block."""
    bring_up_to_date(url)
    database = Database(url)
    try:
        yield database
    finally:
        database.close()


@contextmanager
def downgraded(url: str, revision: str) -> Iterator[sa.Connection]:
    """Return a file to the schema of a revision and connect to it until the end of the block."""
    command.downgrade(config_for(url), revision)
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        yield connection
    engine.dispose()
