"""A real Redis, started by the code that ``up`` starts it with; a real SQLite file with all tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from orchestrator.database.engine import Database
from orchestrator.database.models import Base
from orchestrator.supervisor.children import Child
from orchestrator.supervisor.layout import Layout
from orchestrator.supervisor.private_redis import PrivateRedis


class RedisServer:
    """A private Redis that tests may kill, wipe and start again."""

    def __init__(self, folder: Path) -> None:
        self.layout = Layout(folder)
        self.layout.make_folders()
        self.private = PrivateRedis(self.layout)
        self.address = self.private.address
        self.child = Child(self.private.program())
        self.start()

    def start(self) -> None:
        self.child.start()
        self.private.wait_until_ready(lambda: self.child.pid is not None)

    def kill(self) -> None:
        assert self.child._process is not None
        self.child._process.kill()
        self.child._process.wait()

    def wipe(self) -> None:
        for file in self.layout.redis_folder.glob("appendonlydir/*"):
            file.unlink()

    def stop(self) -> None:
        self.child.stop()
        self.private.close()

    def admin(self) -> redis.Redis:
        return redis.Redis.from_url(self.address.redis_url, socket_timeout=5)


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "server")
    yield server
    server.stop()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'ciphermark.sqlite'}")
    Base.metadata.create_all(database.engine)
    yield database
    database.close()
