"""Archives of cross-built runners are verified before anything of them is installed."""

import tarfile
from pathlib import Path

import pytest

from orchestrator.daemon.builds.cross_built import unpack
from orchestrator.shared.errors import BuildFailed
from tests.support.cross_builds import FILES, archive, manifest, packed


def unpacked(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "archive"
    path.write_bytes(data)
    unpack(path, manifest(), tmp_path / "programs")
    return tmp_path / "programs"


class TestUnpack:
    def test_files_arrive_and_programs_are_executable(self, tmp_path: Path) -> None:
        folder = unpacked(tmp_path, archive())

        assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
        executable = {path.name for path in folder.iterdir() if path.stat().st_mode & 0o111}
        assert executable == {"ciphermark-launcher", "ciphermark-own"}

    @pytest.mark.parametrize("name", ["../ciphermark-own", "/tmp/ciphermark-own", "x/ciphermark-own", "ciphermark-new"])
    def test_member_outside_the_manifest_is_rejected(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(BuildFailed, match="expected the files of its manifest"):
            unpacked(tmp_path, archive({**FILES, name: b"x"}))
        assert {path.name for path in tmp_path.iterdir()} == {"archive", "programs"}

    @pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE])
    def test_links_folders_and_devices_are_rejected(self, tmp_path: Path, kind: bytes) -> None:
        member = tarfile.TarInfo("ciphermark-own")
        member.type, member.linkname = kind, "/etc/passwd"

        with pytest.raises(BuildFailed, match="'ciphermark-own'"):
            unpacked(tmp_path, packed([(member, b"")]))
        assert list((tmp_path / "programs").iterdir()) == []

    def test_member_given_twice_is_rejected(self, tmp_path: Path) -> None:
        own = [(tarfile.TarInfo("ciphermark-own"), FILES["ciphermark-own"]) for _ in range(2)]

        with pytest.raises(BuildFailed, match="each once"):
            unpacked(tmp_path, packed(own))

    @pytest.mark.parametrize("content", [b"own" * 99_999 + b"OWN", b"own" * 100_001, b"own"])
    def test_changed_longer_and_shorter_files_are_rejected(self, tmp_path: Path, content: bytes) -> None:
        with pytest.raises(BuildFailed, match="ciphermark-own of the cross-built runners has"):
            unpacked(tmp_path, archive({**FILES, "ciphermark-own": content}))

    def test_missing_file_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(BuildFailed, match=r"lacks ciphermark-own, code-sizes\.json"):
            unpacked(tmp_path, archive({"ciphermark-launcher": FILES["ciphermark-launcher"]}))

    @pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
    def test_truncated_archive_is_rejected(self, tmp_path: Path, share: float) -> None:
        data = archive()

        with pytest.raises(BuildFailed):
            unpacked(tmp_path, data[: int(len(data) * share)])

    @pytest.mark.parametrize("data", [b"", b"<html>not an archive</html>", b"\x1f\x8b" + bytes(100)])
    def test_anything_else_is_rejected(self, tmp_path: Path, data: bytes) -> None:
        with pytest.raises(BuildFailed, match=r"cannot be unpacked|lacks"):
            unpacked(tmp_path, data)
