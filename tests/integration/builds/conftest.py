from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live_service import Served, serve


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve(tmp_path / "data") as running:
        yield running
