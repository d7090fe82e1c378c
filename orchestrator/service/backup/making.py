"""Making of backups: the database by SQLite's online backup, the manifest of the corpus, and the settings.

A backup is a folder ``ciphermark-<UTC time>``. It is written under another name, opened and checked, and then renamed,
so that every folder of that name is a whole backup. Tokens are in the database as hashes; settings that are secrets,
and the chunks themselves, are not copied.
"""

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import structlog
from pydantic import SecretStr, ValidationError
from sqlalchemy.exc import SQLAlchemyError

from orchestrator import __version__
from orchestrator.database.engine import Database, file_of
from orchestrator.service.audit.actions import MAKE_BACKUP
from orchestrator.service.audit.repository import note_program
from orchestrator.shared.errors import CiphermarkError, SetupError
from orchestrator.shared.files.identity import file_sha256
from orchestrator.shared.files.private import write_private
from orchestrator.shared.settings import ServiceSettings
from orchestrator.shared.values.models import LazyModel

PREFIX = "ciphermark-"
DATABASE_FILE = "ciphermark.sqlite"
MANIFEST_FILE = "manifest.json"
DESCRIPTION_FILE = "backup.json"
KEPT_BACKUPS = 7
_PARTIAL = ".partial"
_INTERRUPTED_SECONDS = 24 * 3600.0
"""No backup takes as long: one that is not whole by then was interrupted."""

_log = structlog.get_logger(__name__)


class Description(LazyModel):
    """Contents of a backup, written last."""

    version: str
    """Version of Ciphermark that made it."""
    revision: str
    """Schema of its database."""
    made_at: datetime
    executions: int
    """Number of executions with a result."""
    sha256: str
    """SHA-256 of the database file."""
    settings: dict[str, str]
    """Settings without secrets, for information."""


class Backup(LazyModel):
    """A whole backup."""

    folder: Path
    description: Description


def database_file(settings: ServiceSettings) -> Path:
    """Return the file of the database; raise SetupError for another database server."""
    path = file_of(settings.resolved_database_url)
    if path is None:
        raise SetupError(
            "This database is on a server, which has tools of its own for backups.",
            remedy="Use pg_dump and pg_restore; then start Ciphermark again.",
        )
    return path


def make(settings: ServiceSettings, to: Path | None = None, program: str = "command line") -> Backup:
    """Make a backup while everything runs, verify it, and return it; raise SetupError where that fails.

    program: that makes it, for the audit log.
    """
    source, into = database_file(settings), to or settings.resolved_backup_folder
    if not source.exists():
        raise SetupError(f"There is no database {source}.", remedy="Start the service once, or set the data folder.")
    if into.exists() and not into.is_dir():
        raise SetupError(f"{into} is not a folder.", remedy="Choose a folder with --to; a backup is a folder in it.")
    made_at = datetime.now(UTC)
    target = into / f"{PREFIX}{made_at.strftime('%Y%m%dT%H%M%S%fZ')}"
    partial = target.with_name(target.name + _PARTIAL)
    try:
        partial.mkdir(mode=0o700, parents=True)
        copy = partial / DATABASE_FILE
        with closing(sqlite3.connect(source)) as database, closing(sqlite3.connect(copy)) as opened:
            database.backup(opened)
            opened.execute("PRAGMA journal_mode = DELETE")
        copy.chmod(0o600)
        revision, executions = verify(copy)
        manifest = settings.corpus_folder / MANIFEST_FILE
        if manifest.exists():
            shutil.copy2(manifest, partial / MANIFEST_FILE)
        description = Description(
            version=__version__,
            revision=revision,
            made_at=made_at,
            executions=executions,
            sha256=file_sha256(copy),
            settings=_settings(settings),
        )
        write_private(partial / DESCRIPTION_FILE, description.model_dump_json(indent=2))
        partial.rename(target)
    except (OSError, sqlite3.Error) as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise SetupError(
            f"The backup could not be made: {error}.", remedy="Make room, or choose another folder with --to."
        ) from error
    _record(settings, target.name, program)
    _log.info("backup made", folder=str(target), executions=executions)
    return Backup(folder=target, description=description)


def _record(settings: ServiceSettings, name: str, program: str) -> None:
    database = Database(settings.resolved_database_url)
    try:
        with database.write() as session:
            note_program(session, MAKE_BACKUP, name, program)
    except (SQLAlchemyError, CiphermarkError) as error:
        # The backup exists: on a full disk, and before an upgrade that adds the audit log, too.
        _log.warning("backup not recorded in the audit log", backup=name, error=str(error))
    finally:
        database.close()


def verify(path: Path) -> tuple[str, int]:
    """Return the schema and the number of results of an intact database file; raise SetupError for another one."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            (found,) = database.execute("PRAGMA integrity_check(1)").fetchone()
            (revision,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
            ended = database.execute("SELECT count(*) FROM executions WHERE state <> 'waiting'").fetchone()
    except (sqlite3.Error, TypeError) as error:
        found, revision, ended = str(error), "", (0,)
    if found != "ok":
        raise SetupError(
            f"The database {path.name} is not intact: {found}.",
            remedy="Keep it, and use an earlier backup; ciphermark backup --list shows them.",
        )
    return str(revision), int(ended[0])


def list_backups(folder: Path) -> list[Backup]:
    """Return the whole backups in a folder, newest first."""
    found = []
    for path in sorted(folder.glob(f"{PREFIX}*"), reverse=True):
        if path.is_dir() and not path.name.endswith(_PARTIAL):
            try:
                found.append(read(path))
            except SetupError as error:
                _log.warning("backup ignored", error=error.detail)
    return found


def read(folder: Path) -> Backup:
    """Return the backup in a folder; raise SetupError if it is none."""
    try:
        text = (folder / DESCRIPTION_FILE).read_text(encoding="utf-8")
        return Backup(folder=folder, description=Description.model_validate_json(text))
    except (OSError, ValidationError) as error:
        raise SetupError(
            f"{folder} is not a backup: its {DESCRIPTION_FILE} cannot be read.",
            remedy="List the backups: ciphermark backup --list.",
        ) from error


def prune(folder: Path, kept: int = KEPT_BACKUPS) -> Sequence[Path]:
    """Delete the oldest backups beyond the number kept, and what interrupted ones left; return the deleted folders."""
    outdated = [backup.folder for backup in list_backups(folder)[kept:]]
    before = datetime.now(UTC).timestamp() - _INTERRUPTED_SECONDS
    outdated += (path for path in folder.glob(f"{PREFIX}*{_PARTIAL}") if path.stat().st_mtime < before)
    for path in outdated:
        shutil.rmtree(path)
    return outdated


def _settings(settings: ServiceSettings) -> dict[str, str]:
    values = {name: getattr(settings, name) for name in settings.model_fields_set}
    secret = {name for name, value in values.items() if isinstance(value, SecretStr)} | {"database_url"}
    return {name: str(value) for name, value in sorted(values.items()) if name not in secret}
