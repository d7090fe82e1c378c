"""Restoring of backups: checked first, refused while the database is in use; the replaced database is kept."""

import shutil
from pathlib import Path

import structlog

from orchestrator.backup.making import DATABASE_FILE, MANIFEST_FILE, Backup, database_file, read, sha256_of, verify
from orchestrator.database import generation, replacement, usage
from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.database.revision import expected_revision
from orchestrator.errors import SetupError
from orchestrator.settings import ServiceSettings

_log = structlog.get_logger(__name__)


def restore(settings: ServiceSettings, folder: Path) -> tuple[Backup, Path | None]:
    """Replace the database by that of a backup; return the backup, and where the replaced database is now.

    Begins a new generation, so that agents deliver their recent records again. Raises SetupError for a backup that is
    damaged or newer than this version, and AlreadyRunning while a program uses the database. Nothing is changed then.
    A restore that is interrupted has either changed nothing, or is completed at the next start of the service.
    """
    target = database_file(settings)
    backup = read(folder)
    copied = folder / DATABASE_FILE
    if sha256_of(copied) != backup.description.sha256:
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
        _begin_generation(new, backup)
        replaced = replacement.replace(target, new)
    manifest = settings.corpus_folder / MANIFEST_FILE
    if not manifest.exists() and (folder / MANIFEST_FILE).exists():
        manifest.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(folder / MANIFEST_FILE, manifest)
    _log.info("backup restored", backup=str(folder), replaced=str(replaced))
    return backup, replaced


def _begin_generation(path: Path, backup: Backup) -> None:
    url = f"sqlite:///{path}"
    bring_up_to_date(url)
    database = Database(url)
    with database.write() as session:
        generation.begin(session, backup.description.made_at)
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    _delete_files_of(path, besides=path)


def _delete_files_of(path: Path, besides: Path | None = None) -> None:
    """Delete a database file, its write-ahead log, its locks and its copies."""
    for file in path.parent.glob(f"{path.name}*"):
        if file != besides:
            file.unlink()
