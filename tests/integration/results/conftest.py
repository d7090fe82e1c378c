from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.result_world import World, make_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path)
    yield made
    made.database.close()
