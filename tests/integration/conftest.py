"""A real Redis, a real SQLite file with all tables, and real services."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.database.engine import Database
from tests.support.fleet import Fleet, open_fleet
from tests.support.live_service import Served, serve
from tests.support.migrated_database import migrated_database
from tests.support.redis_server import RedisServer


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "server")
    yield server
    server.stop()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(migrated_database(tmp_path)) as database:
        yield database


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An empty service, which the tests of a file share."""
    with serve(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    """A service with one agent."""
    with open_fleet(tmp_path) as opened:
        yield opened
