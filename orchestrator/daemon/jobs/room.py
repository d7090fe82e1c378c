"""Room on the disk of a daemon for new work."""

from pathlib import Path

from orchestrator.daemon.jobs.journal.file import DiskFull
from orchestrator.daemon.jobs.journal.journal import Journal
from orchestrator.shared.free_space import missing_bytes, shortage


class Room:
    """The disk of the data folder. Before work waits for room, the journal gives up what only a restore would need."""

    def __init__(self, journal: Journal, folder: Path, min_free_mib: int) -> None:
        """Require `min_free_mib` free MiB on the disk of a folder."""
        self._journal = journal
        self._folder = folder
        self._min_free_mib = min_free_mib

    def lack(self, more_mib: int = 0) -> str | None:
        """Return what the disk lacks for new work, and `more_mib` for what it needs besides, or None."""
        needed_mib = self._min_free_mib + more_mib
        missing = missing_bytes(self._folder, needed_mib)
        if missing > 0:
            try:
                self._journal.make_room(missing)
            except DiskFull as error:
                return str(error)
        return shortage(self._folder, needed_mib)

    def obstacle(self) -> str | None:
        """Return why no job may begin on this machine, or None: its records could not be stored."""
        lack = self.lack()
        if lack is not None:
            return lack
        try:
            self._journal.require_writable()
        except DiskFull as error:
            return str(error)
        return None
