"""The scheduled backup: made in a thread of the scheduler when the newest one is old enough."""

import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import structlog

from orchestrator.database.engine import file_of
from orchestrator.service.backup.making import list_backups, make, prune
from orchestrator.shared.errors import CiphermarkError
from orchestrator.shared.settings import ServiceSettings

LOOK_SECONDS = 60.0
"""Interval between two looks at the backups."""

_log = structlog.get_logger(__name__)


@dataclass
class BackupStep:
    """The scheduler's step; it never waits for the thread, which copies gigabytes."""

    settings: ServiceSettings
    _thread: threading.Thread | None = None
    _looked_at: float = field(default=float("-inf"))
    """Monotonic time, in seconds."""

    def step(self) -> bool:
        """Begin a backup if one is due; return whether it began."""
        is_busy = self._thread is not None and self._thread.is_alive()
        if is_busy or time.monotonic() - self._looked_at < LOOK_SECONDS or not self.settings.backup_hours:
            return False
        self._looked_at = time.monotonic()
        if file_of(self.settings.resolved_database_url) is None or not self._is_due():
            return False
        self._thread = threading.Thread(target=self._make, name="backup", daemon=True)
        self._thread.start()
        return True

    def wait(self) -> None:
        """Wait for the backup that began."""
        if self._thread is not None:
            self._thread.join()

    def _is_due(self) -> bool:
        found = list_backups(self.settings.resolved_backup_folder)
        age = timedelta(hours=self.settings.backup_hours)
        return not found or datetime.now(UTC) - found[0].description.made_at >= age

    def _make(self) -> None:
        try:
            make(self.settings, program="scheduler")
            prune(self.settings.resolved_backup_folder)
        except (CiphermarkError, OSError) as error:
            _log.error("scheduled backup failed", error=str(error))
