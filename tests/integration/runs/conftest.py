"""A service with one agent for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fleet import Fleet, open_fleet


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with open_fleet(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def unchanged_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Return a fleet for tests that store nothing, which their file shares."""
    with open_fleet(tmp_path_factory.mktemp("unchanged")) as opened:
        yield opened
