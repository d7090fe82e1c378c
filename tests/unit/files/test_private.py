import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.shared.errors import SetupError
from orchestrator.shared.files.private import make_private, private_secret, write_private


def mode(path: Path) -> int:
    return path.lstat().st_mode & 0o777


class TestWritePrivate:
    def test_file_is_readable_by_its_owner_only(self, tmp_path: Path) -> None:
        path = tmp_path / "secret"
        path.write_text("old")
        path.chmod(0o644)
        write_private(path, "new")
        assert path.read_text() == "new"
        assert mode(path) == 0o600
        assert list(tmp_path.iterdir()) == [path]


class TestPrivateSecret:
    def test_all_first_callers_get_one_secret(self, tmp_path: Path) -> None:
        path = tmp_path / "secret"
        with ThreadPoolExecutor(8) as threads:
            secrets = set(threads.map(private_secret, [path] * 64))
        assert secrets == {bytes.fromhex(path.read_text())}
        assert mode(path) == 0o600
        assert list(tmp_path.iterdir()) == [path]


class TestMakePrivate:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """A data folder of an earlier version, with the modes of a usual umask."""
        folder = tmp_path / "data"
        for name in ("redis/appendonlydir", "agent", "logs", "corpus/chunks"):
            (folder / name).mkdir(parents=True)
        for name in ("ciphermark.sqlite", "ciphermark.sqlite-wal", "ciphermark.sqlite-shm", "cli.json", "daemon.lock",
                     "redis/redis.conf", "redis/appendonlydir/file.aof", "agent/journal-a.sqlite",
                     "logs/service.log", "corpus/chunks/0", "notes.txt"):  # fmt: skip
            (folder / name).write_text("x")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        return folder

    def test_existing_folders_and_files_become_private(self, folder: Path) -> None:
        make_private(folder)
        open_to_others = [path for path in (folder, *folder.rglob("*")) if mode(path) & 0o077]
        assert open_to_others == [folder / "notes.txt"], "a file of another origin is not touched; its folder is closed"
        assert mode(folder) == 0o700
        assert mode(folder / "ciphermark.sqlite-wal") == 0o600

    def test_links_are_not_followed(self, folder: Path, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.mkdir(mode=0o755)
        (outside / "file").write_text("x")
        (outside / "file").chmod(0o644)
        (folder / "backups").symlink_to(outside)
        (folder / "logs/link").symlink_to(outside / "file")
        make_private(folder)
        assert (mode(outside), mode(outside / "file")) == (0o755, 0o644)

    def test_new_folder_is_private(self, tmp_path: Path) -> None:
        make_private(tmp_path / "a/b")
        assert mode(tmp_path / "a/b") == 0o700

    def test_folder_of_another_user_that_is_open_to_all_is_refused(self, folder: Path) -> None:
        if os.geteuid() != 0:
            pytest.skip("only root can give a folder to another user")
        os.chown(folder, 65534, 65534)
        with pytest.raises(SetupError, match="is open to all users of this machine and belongs to another user"):
            make_private(folder)
