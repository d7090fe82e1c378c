"""Locks on a full disk: the note of their process is lost, and the lock holds."""

from pathlib import Path

import pytest

from orchestrator.daemon.session.identity import DataFolderLock
from orchestrator.shared.errors import SecondSession
from tests.support.small_disk import small_disk


def test_daemon_locks_its_folder_on_a_full_disk(tmp_path: Path) -> None:
    """Regression: the daemon could not start, because its lock notes its process in a file (S116)."""
    with small_disk(tmp_path / "disk", 1) as disk:
        DataFolderLock(disk.folder).close()
        for lock in disk.folder.glob("*"):
            lock.write_bytes(b"")
        disk.fill()
        with (
            DataFolderLock(disk.folder),
            pytest.raises(SecondSession, match="is a daemon with the data folder"),
            DataFolderLock(disk.folder),
        ):
            pass
