"""The file of a bundle: what is damage to it, and what keeps this machine from reading it."""

from pathlib import Path

import pytest

from orchestrator.papers.bundle.archive import list_sums, pack, unpack
from orchestrator.shared.errors import BundleDamaged, InvalidRequest, NotFound
from tests.support.small_disk import small_disk

CONTENTS = b"verdicts\n" * 100_000


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    contents = tmp_path / "contents"
    contents.mkdir()
    (contents / "verdicts.json").write_bytes(CONTENTS)
    list_sums(contents)
    path = tmp_path / "bundle.zip"
    pack(contents, path)
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.parametrize("kept_bytes", [0, 30])
def test_part_of_a_bundle_is_damaged(bundle: Path, tmp_path: Path, kept_bytes: int) -> None:
    bundle.write_bytes(bundle.read_bytes()[:kept_bytes])
    with pytest.raises(BundleDamaged, match=r"bundle\.zip is no whole ZIP archive"):
        unpack(bundle, folder(tmp_path / "into"))


def test_offset_before_the_archive_is_damage(bundle: Path, tmp_path: Path) -> None:
    """The kernel refuses to seek there (EINVAL), which is no fault of the disk."""
    content = bytearray(bundle.read_bytes())
    end = content.rindex(b"PK\x05\x06")
    # The size of the central directory, larger than what is before it.
    content[end + 12 : end + 16] = (len(content) * 2).to_bytes(4, "little")
    bundle.write_bytes(content)
    with pytest.raises(BundleDamaged):
        unpack(bundle, folder(tmp_path / "into"))


def test_bundle_that_does_not_exist_is_not_called_damaged(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"^absent\.zip cannot be read: No such file or directory\."):
        unpack(tmp_path / "absent.zip", folder(tmp_path / "into"))


def test_full_disk_does_not_make_a_bundle_damaged(bundle: Path, tmp_path: Path) -> None:
    """Regression: the bundle was "no whole ZIP archive", and its remedy was to get it again."""
    with small_disk(tmp_path / "disk", 1) as disk:
        disk.fill(leave_bytes=256 * 1024)
        with pytest.raises(InvalidRequest, match=r"bundle\.zip cannot be read: No space left on device") as refusal:
            unpack(bundle, disk.folder)
    assert refusal.value.remedy is not None
    assert "space" in refusal.value.remedy
