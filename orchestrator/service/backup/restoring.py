"""Restoring of backups: checked first, refused while the database is in use; the replaced database is kept."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import structlog

from orchestrator.database import generation, replacement, usage
from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.database.models import AuditEntry
from orchestrator.database.revision import expected_revision
from orchestrator.service.audit.actions import RESTORE_BACKUP
from orchestrator.service.audit.repository import note_program
from orchestrator.service.backup.making import DATABASE_FILE, MANIFEST_FILE, Backup, database_file, read, verify
from orchestrator.shared.errors import SetupError
from orchestrator.shared.files.identity import file_sha256
from orchestrator.shared.settings import ServiceSettings

_ENTRY_COLUMNS = tuple(AuditEntry.__table__.columns.keys())

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Restored:
    """A backup that is the database now."""

    backup: Backup
    replaced: Path | None
    """Where the replaced database is; None: there was none."""
    revocations_kept: bool
    """Whether what was revoked since the backup stayed revoked; False: the replaced database could not be read."""


def restore(settings: ServiceSettings, folder: Path) -> Restored:
    """Replace the database by that of a backup, in which tokens and agents stay revoked, and the audit log complete.

    Begins a new generation, so that agents deliver their recent records again. Raises SetupError for a backup that is
    damaged or newer than this version, and AlreadyRunning while a program uses the database. Nothing is changed then.
    A restore that is interrupted has either changed nothing, or is completed at the next start of the service.
    """
    target = database_file(settings)
    backup = read(folder)
    copied = folder / DATABASE_FILE
    if file_sha256(copied) != backup.description.sha256:
        raise SetupError(f"The database of {folder} was changed.", remedy="Use another backup.")
    verify(copied)
    if backup.description.revision > expected_revision():
        raise SetupError(
            f"The backup has schema revision {backup.description.revision}, this version knows {expected_revision()}.",
            remedy=f"Restore it with Ciphermark {backup.description.version}.",
        )
    replacement.complete_interrupted(target)
    with usage.replaced(target):
        new = target.with_name(f".{target.name}.restored")
        # A write-ahead log of an interrupted restore would be applied to the new file.
        _delete_files_of(new)
        shutil.copyfile(copied, new)
        new.chmod(0o600)
        bring_up_to_date(f"sqlite:///{new}")
        kept = _keep_revocations(target, new)
        _begin_generation(new, backup)
        replaced = replacement.replace(target, new)
    manifest = settings.corpus_folder / MANIFEST_FILE
    if not manifest.exists() and (folder / MANIFEST_FILE).exists():
        manifest.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(folder / MANIFEST_FILE, manifest)
    _log.info("backup restored", backup=str(folder), replaced=str(replaced))
    return Restored(backup, replaced, kept)


def _keep_revocations(present: Path, restored: Path) -> bool:
    """Revoke in the restored database what is revoked in the present one, and copy the newer audit entries.

    Returns False if the present database cannot be read.
    """
    if not present.exists():
        return True
    try:
        with closing(sqlite3.connect(f"{present.as_uri()}?mode=ro", uri=True)) as database:
            revoked = {
                table: database.execute(f"SELECT revoked_at, id FROM {table} WHERE revoked_at IS NOT NULL").fetchall()  # noqa: S608 - a name of ours
                for table in ("api_tokens", "agents")
            }
            entries = _audit_entries(database)
    except sqlite3.DatabaseError as error:
        _log.warning("revocations since the backup are unknown", database=str(present), reason=str(error))
        return False
    with closing(sqlite3.connect(restored)) as database, database:
        for table, rows in revoked.items():
            database.executemany(f"UPDATE {table} SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", rows)  # noqa: S608 - a name of ours
        database.executemany(
            f"INSERT OR IGNORE INTO audit_entries ({', '.join(_ENTRY_COLUMNS)}) "  # noqa: S608 - names of ours
            f"VALUES ({', '.join('?' * len(_ENTRY_COLUMNS))})",
            entries,
        )
    return True


def _audit_entries(database: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Return the audit log of a database; empty for one of an earlier version, which has no such table."""
    if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'audit_entries'").fetchone():
        return []
    return database.execute(f"SELECT {', '.join(_ENTRY_COLUMNS)} FROM audit_entries").fetchall()  # noqa: S608 - names of ours


def _begin_generation(path: Path, backup: Backup) -> None:
    database = Database(f"sqlite:///{path}")
    with database.write() as session:
        generation.begin(session, backup.description.made_at)
        note_program(session, RESTORE_BACKUP, backup.folder.name, "command line")
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    _delete_files_of(path, besides=path)


def _delete_files_of(path: Path, besides: Path | None = None) -> None:
    """Delete a database file, its write-ahead log, its locks and its copies."""
    for file in path.parent.glob(f"{path.name}*"):
        if file != besides:
            file.unlink()
