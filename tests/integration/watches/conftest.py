from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fleet import Fleet, open_fleet
from tests.support.watched_fleet import WatchedFleet


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with open_fleet(tmp_path / "data", webhook_hosts="127.0.0.1") as opened:
        yield opened


@pytest.fixture
def watched(fleet: Fleet) -> WatchedFleet:
    return WatchedFleet.of(fleet)
