"""A real Redis, a real SQLite file with all tables, and real services."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.database.engine import Database
from tests.support.commands import Command, command_of
from tests.support.fleet import Fleet, open_fleet
from tests.support.live_service import Served, serve
from tests.support.migrated_database import migrated_database
from tests.support.redis_server import RedisServer
from tests.support.result_world import World, make_world


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
    folder = tmp_path_factory.mktemp("service")
    with serve(folder / "data", cache_folder=folder / "cache") as running:
        yield running


@pytest.fixture
def command(served: Served, tmp_path: Path) -> Command:
    """Return a function that executes `ciphermark` with its arguments as an admin."""
    return command_of(served, "admin", tmp_path / "token")


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Served]:
    """An empty service of one test."""
    with serve(tmp_path / "data", cache_folder=tmp_path / "cache") as running:
        yield running


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    """A service with one agent."""
    with open_fleet(tmp_path) as opened:
        yield opened


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path)
    yield made
    made.database.close()
