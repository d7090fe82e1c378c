"""The system under test: real parts, each test file with a data folder of its own, all with one cache of builds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.system import System

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def cache_folder() -> Path:
    """Keep the runners of former test sessions: their key says whether they still fit."""
    return ROOT / "build" / "test-cache"


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, cache_folder: Path) -> Iterator[System]:
    with System(tmp_path_factory.mktemp("data"), cache_folder) as running:
        yield running
