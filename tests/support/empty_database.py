"""An empty database in a SQLite file, with the tables of the models."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.database.engine import Database
from orchestrator.database.models import Base


@contextmanager
def empty_database(folder: Path) -> Iterator[Database]:
    """Create a database in this folder and close it at the end of the block."""
    database = Database(f"sqlite:///{folder / 'test.sqlite'}")
    Base.metadata.create_all(database.engine)
    try:
        yield database
    finally:
        database.close()
