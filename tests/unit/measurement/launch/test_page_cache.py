import os
from pathlib import Path

import pytest

from orchestrator.errors import MeasurementError
from orchestrator.measurement.launch.page_cache import WarmFiles, _Mapped

POSIX_FADV_DONTNEED = os.POSIX_FADV_DONTNEED


@pytest.fixture
def chunk(tmp_path: Path) -> Path:
    path = tmp_path / "chunk"
    with path.open("wb") as file:
        file.write(b"x" * 3_000_001)
        file.flush()
        os.fsync(file.fileno())
    return path


def is_resident(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        mapped = _Mapped.of(descriptor)
        assert mapped is not None
        return mapped.is_resident()
    finally:
        os.close(descriptor)


def drop(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    os.close(descriptor)


class TestWarmFiles:
    def test_dropped_pages_are_read_again(self, chunk: Path) -> None:
        with WarmFiles() as files:
            files.warm(chunk)
            assert is_resident(chunk)
        drop(chunk)
        if is_resident(chunk):
            pytest.skip("the file system of the test folder lives in memory")
        with WarmFiles() as files:
            files.warm(chunk)
        assert is_resident(chunk)

    def test_close_closes_every_descriptor(self, chunk: Path) -> None:
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        for _ in range(3):
            with WarmFiles() as files:
                files.warm(chunk)
                files.warm(chunk)
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208

    def test_empty_file_is_accepted(self, tmp_path: Path) -> None:
        (tmp_path / "empty").touch()
        with WarmFiles() as files:
            files.warm(tmp_path / "empty")

    def test_missing_file_is_an_error_with_its_path(self, tmp_path: Path) -> None:
        with WarmFiles() as files, pytest.raises(MeasurementError, match="No such file"):
            files.warm(tmp_path / "nothing")
