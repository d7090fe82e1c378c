from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.up_process import UpProcess


@pytest.fixture
def up(tmp_path: Path) -> Iterator[UpProcess]:
    up = UpProcess(tmp_path, "--port", "0")
    yield up
    up.end()
