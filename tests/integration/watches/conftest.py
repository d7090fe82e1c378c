from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fleet import Fleet, open_fleet
from tests.support.prepared_fleets import Prepared, settle, tag_runs
from tests.support.watched_fleet import WatchedFleet

WEBHOOKS = "127.0.0.1"


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with open_fleet(tmp_path / "data", webhook_hosts=WEBHOOKS) as opened:
        yield opened


@pytest.fixture
def watched(fleet: Fleet) -> WatchedFleet:
    return WatchedFleet.of(fleet)


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WatchedFleet]:
    """Return a fleet for tests that store nothing, which their file shares."""
    with open_fleet(tmp_path_factory.mktemp("unchanged"), webhook_hosts=WEBHOOKS) as opened:
        yield WatchedFleet.of(opened)


@pytest.fixture(scope="session")
def prepared_watch(tmp_path_factory: pytest.TempPathFactory) -> Prepared[WatchedFleet]:
    return Prepared(tmp_path_factory.mktemp("settled") / "data", settle)


@pytest.fixture
def settled(prepared_watch: Prepared[WatchedFleet], tmp_path: Path) -> Iterator[WatchedFleet]:
    """Return a fleet with a watch whose looks found no change on FORMER days."""
    with prepared_watch.opened(tmp_path / "data", webhook_hosts=WEBHOOKS) as (fleet, then):
        yield WatchedFleet.of(fleet, at=then.at, seed=then.seed)


@pytest.fixture(scope="session")
def prepared_runs(tmp_path_factory: pytest.TempPathFactory) -> Prepared[list[str]]:
    return Prepared(tmp_path_factory.mktemp("tagged") / "data", tag_runs)


@pytest.fixture
def tagged(prepared_runs: Prepared[list[str]], tmp_path: Path) -> Iterator[tuple[Fleet, list[str]]]:
    """Return a fleet with FORMER finished runs that have the tag `main`, and their ids."""
    with prepared_runs.opened(tmp_path / "data", webhook_hosts=WEBHOOKS) as opened:
        yield opened
