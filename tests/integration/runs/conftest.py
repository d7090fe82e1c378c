"""A service with one agent for tests that change nothing."""

from collections.abc import Iterator

import pytest

from tests.support.fleet import Fleet, open_fleet


@pytest.fixture(scope="module")
def unchanged_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Return a fleet for tests that store nothing, which their file shares."""
    with open_fleet(tmp_path_factory.mktemp("unchanged")) as opened:
        yield opened
