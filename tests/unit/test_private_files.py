from pathlib import Path

from orchestrator.supervisor.private_files import write_private


class TestWritePrivate:
    def test_file_is_readable_by_its_owner_only(self, tmp_path: Path) -> None:
        path = tmp_path / "secret"
        path.write_text("old")
        path.chmod(0o644)
        write_private(path, "new")
        assert path.read_text() == "new"
        assert path.stat().st_mode & 0o777 == 0o600
        assert list(tmp_path.iterdir()) == [path]
