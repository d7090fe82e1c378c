"""A real Redis, and a real SQLite file with all tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date
from tests.support.postgresql import database_url
from tests.support.redis_server import RedisServer


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "server")
    yield server
    server.stop()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    url = database_url(tmp_path)
    bring_up_to_date(url)
    database = Database(url)
    yield database
    database.close()
