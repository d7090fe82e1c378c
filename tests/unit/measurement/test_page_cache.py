import os
from pathlib import Path

import pytest

from orchestrator.errors import MeasurementError
from orchestrator.measurement.page_cache import WarmFiles


class TestWarmFiles:
    def test_a_file_is_opened_once_however_often_it_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "chunk"
        path.write_bytes(b"x" * 3_000_000)
        before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
        with WarmFiles() as files:
            for _ in range(5):
                files.read(path)
            assert len(os.listdir("/proc/self/fd")) == before + 1  # noqa: PTH208
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208

    def test_a_missing_file_is_an_error_that_names_it(self, tmp_path: Path) -> None:
        with WarmFiles() as files, pytest.raises(MeasurementError, match="No such file"):
            files.read(tmp_path / "nothing")
