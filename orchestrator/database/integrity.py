"""Integrity of a SQLite file: checked at the start, on suspicion and daily; a damaged database is not written.

Damage is noted in a file next to the database, which all processes see and which outlives them. A check that finds the
database intact, for example after a backup was restored, removes it.
"""

import sqlite3
import threading
import time
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import structlog
from sqlalchemy.exc import DBAPIError

from orchestrator.shared.errors import CiphermarkError, DatabaseDamaged, NoRoom
from orchestrator.shared.files.sqlite import find_damage, is_damage, primary_code

CHECK_SECONDS = 24 * 3600.0
MARK_SUFFIX = ".damaged"
_FULL, _IO_ERROR, _READ_ONLY, _CANNOT_OPEN = 13, 10, 8, 14
_RESTORE = "Stop Ciphermark, and restore the latest backup: ciphermark restore. Agents deliver again what it lacks."
_MAKE_ROOM = "Make room on the disk of the data folder, or let it be written; work continues by itself."

_log = structlog.get_logger(__name__)


class Integrity:
    """The condition of the database file; without a file (another database server) it is always intact."""

    def __init__(self, path: Path | None) -> None:
        """Watch the file of this path."""
        self._path = path
        self._mark = None if path is None else path.with_name(path.name + MARK_SUFFIX)

    def damage(self) -> str | None:
        """Return the noted damage, or None."""
        if self._mark is None:
            return None
        try:
            return self._mark.read_text(encoding="utf-8") or "damaged"
        except FileNotFoundError:
            return None

    def require_intact(self) -> None:
        """Raise DatabaseDamaged if damage is noted."""
        damage = self.damage()
        if damage is not None:
            raise DatabaseDamaged(
                f"The database file is damaged, so nothing is written to it. {damage}", remedy=_RESTORE
            )

    def check(self) -> str | None:
        """Check the file now, note or remove damage, and return it.

        ``quick_check`` reads every page, 0.5 s for each GiB in the page cache; a noted damage is looked for with
        ``integrity_check``, which also compares the indexes. Neither blocks readers or writers.
        """
        if self._path is None or not self._path.exists():
            return None
        noted = self.damage()
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, timeout=15)) as connection:
            found = find_damage(connection, "quick_check" if noted is None else "integrity_check")
        if found is not None:
            self.note(f"SQLite's check found: {found}")
        elif noted is not None and self._mark is not None:
            self._mark.unlink(missing_ok=True)
            _log.warning("database is intact again", noted=noted)
        return found

    def note(self, damage: str) -> None:
        """Note damage for all processes."""
        if self._mark is None or self._mark.exists():
            return
        _log.error("database damaged; writes are refused", damage=damage, remedy=_RESTORE)
        with suppress(OSError):  # On a full disk every request finds the damage again.
            self._mark.write_text(f"{damage[:300]} (noted {datetime.now(UTC):%Y-%m-%d %H:%M} UTC)", encoding="utf-8")

    def explain(self, error: DBAPIError) -> CiphermarkError | None:
        """Return what an error of the driver means for the user, or None; damage is noted."""
        if is_damage(error.orig):
            self.note(f"SQLite reported: {error.orig}")
            return DatabaseDamaged(f"The database file is damaged: {error.orig}.", remedy=_RESTORE)
        if primary_code(error.orig) in (_FULL, _IO_ERROR, _READ_ONLY, _CANNOT_OPEN):
            return NoRoom(f"The database cannot be written: {error.orig}.", remedy=_MAKE_ROOM)
        return None


class IntegrityThread(threading.Thread):
    """Checks the database at the start of the service and then daily."""

    def __init__(self, integrity: Integrity) -> None:
        """Create the thread; `start` runs it."""
        super().__init__(name="integrity", daemon=True)
        self._integrity = integrity
        self._stopped = threading.Event()

    def run(self) -> None:
        """Check until the service ends."""
        while True:
            began_at = time.monotonic()
            try:
                found = self._integrity.check()
                _log.info("database checked", damage=found, seconds=round(time.monotonic() - began_at, 3))
            except (sqlite3.Error, OSError) as error:
                _log.warning("database not checked", error=str(error))
            if self._stopped.wait(CHECK_SECONDS):
                return

    def stop(self) -> None:
        """End the thread after a running check."""
        self._stopped.set()
