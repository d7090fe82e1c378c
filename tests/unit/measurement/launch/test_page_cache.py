import os
from pathlib import Path

import pytest

from orchestrator.measurement.launch.page_cache import WarmFiles, _Mapped
from orchestrator.measurement.machine.evictions import Evictions
from orchestrator.measurement.machine.roots import Roots
from orchestrator.shared.errors import MeasurementError

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
    @pytest.mark.parametrize("counters", ["oom_kill 0\n", ""], ids=["without counters", "without a file"])
    def test_pages_are_examined_each_time_on_a_kernel_without_counters(
        self, chunk: Path, tmp_path: Path, counters: str
    ) -> None:
        if counters:
            (tmp_path / "vmstat").write_text(counters)
        with WarmFiles(Evictions(Roots(proc=tmp_path))) as files:
            for _ in range(2):
                files.warm([chunk])
                assert is_resident(chunk)
                drop(chunk)

    @pytest.mark.parametrize("counter", ["pgsteal_kswapd", "pgsteal_direct", "drop_pagecache", "workingset_refault"])
    def test_pages_are_examined_again_after_the_kernel_took_some(
        self, chunk: Path, tmp_path: Path, counter: str
    ) -> None:
        vmstat, now_ns = tmp_path / "vmstat", [0]
        vmstat.write_text(f"nr_free_pages 9\n{counter} 41\noom_kill 0\n")
        with WarmFiles(Evictions(Roots(proc=tmp_path), lambda: now_ns[0])) as files:
            files.warm([chunk])
            files.warm([chunk])
            drop(chunk)
            if is_resident(chunk):
                pytest.skip("the file system of the test folder lives in memory")
            now_ns[0] += 10**9
            vmstat.write_text(f"nr_free_pages 8\n{counter} 41\noom_kill 0\n")
            files.warm([chunk])
            assert not is_resident(chunk)

            now_ns[0] += 10**9
            vmstat.write_text(f"nr_free_pages 8\n{counter} 42\noom_kill 0\n")
            files.warm([chunk])
            assert is_resident(chunk)

    def test_forgotten_files_are_examined_again(self, chunk: Path, tmp_path: Path) -> None:
        (tmp_path / "vmstat").write_text("pgsteal_direct 41\n")
        with WarmFiles(Evictions(Roots(proc=tmp_path))) as files:
            files.warm([chunk])
            drop(chunk)
            files.forget()
            files.warm([chunk])
            assert is_resident(chunk)

    def test_close_closes_every_descriptor(self, chunk: Path) -> None:
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        for _ in range(3):
            with WarmFiles() as files:
                files.warm([chunk])
                files.warm([chunk])
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208

    def test_empty_file_is_accepted(self, tmp_path: Path) -> None:
        (tmp_path / "empty").touch()
        with WarmFiles() as files:
            files.warm([tmp_path / "empty"])

    def test_missing_file_is_an_error_with_its_path(self, tmp_path: Path) -> None:
        with WarmFiles() as files, pytest.raises(MeasurementError, match="No such file"):
            files.warm([tmp_path / "nothing"])
