"""Free space compared with the limit below which no new work begins."""

from pathlib import Path

import pytest

from orchestrator.shared.errors import NoRoom
from orchestrator.shared.free_space import require_room, shortage
from tests.support.small_disk import small_disk


def test_room_is_looked_for_on_the_disk_of_the_nearest_existing_folder(tmp_path: Path) -> None:
    assert shortage(tmp_path / "absent" / "deeper", 0) is None
    assert "new work needs 1000000000 MiB" in str(shortage(tmp_path / "absent", 10**9))


def test_lack_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    require_room(tmp_path, 0)
    with pytest.raises(NoRoom, match="Make room"):
        require_room(tmp_path, 10**9)


def test_read_only_disk_lacks_the_permission_to_write(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 4) as disk:
        assert shortage(disk.folder, 1) is None
        assert disk.set_read_only(True)
        assert shortage(disk.folder, 0) == "The disk of the data folder is mounted read-only."
        assert disk.set_read_only(False)
        assert shortage(disk.folder, 1) is None
        disk.fill()
        assert "has 0 MiB free" in str(shortage(disk.folder, 1))
