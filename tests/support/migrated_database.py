"""A SQLite file with the schema of the migrations, made once and copied for each test.

All migrations of an empty file take 0.5 to 0.8 s of processor time, and hundreds of tests begin with one.
``CIPHERMARK_TEST_DATABASE=postgresql`` selects databases of ``tests/support/postgresql.py`` instead.
"""

import fcntl
import hashlib
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

from orchestrator.database.engine import file_of
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.shared.settings import ServiceSettings
from tests.support import postgresql
from tests.support.paths import REPOSITORY, TEST_CACHE

SOURCES = ("migrations", "orchestrator/database")
"""Folders of what makes the schema."""


def migrated_database(folder: Path) -> str:
    """Return the URL of a new database that has the schema of the migrations."""
    if postgresql.is_selected():
        return postgresql.new_database()
    return _migrated_file(f"sqlite:///{folder / 'ciphermark.sqlite'}")


def migrated_settings(**given: object) -> ServiceSettings:
    """Return settings of a service whose database has the schema of the migrations; that of a data folder stays."""
    if postgresql.is_selected() and given.get("database_url") is None:
        given["database_url"] = postgresql.new_database()
    settings = ServiceSettings.model_validate(given)
    _migrated_file(settings.resolved_database_url)
    return settings


def _migrated_file(database_url: str) -> str:
    """Make the file of this URL, unless there is one or the database is on a server; return the URL."""
    path = file_of(database_url)
    if path is not None and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_template())
        with closing(sqlite3.connect(path)) as copy, copy:
            # Migrated on its own, each database would have drawn another.
            copy.execute("UPDATE generations SET epoch = lower(hex(randomblob(16)))")
    # Does nothing to a copy; a file that a test brought along is upgraded as at the start of a service.
    bring_up_to_date(database_url)
    return database_url


@cache
def _template() -> bytes:
    """Return the file that all workers and later sessions share, made again when a file that makes it has changed."""
    sources = sorted(path for part in SOURCES for path in (REPOSITORY / part).rglob("*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    kept = TEST_CACHE / "schema.sqlite"
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.with_suffix(".lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        if lock.read() != digest:
            lock.truncate(0)  # First: an interrupted process must not leave a file under the hash of another one.
            kept.write_bytes(_made())
            lock.write(digest)
        return kept.read_bytes()


def _made() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "template.sqlite"
        bring_up_to_date(f"sqlite:///{path}")
        # The last connection has written the log of recent changes into the file.
        assert not path.with_name(f"{path.name}-wal").exists()
        return path.read_bytes()
