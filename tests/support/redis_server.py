"""A real Redis, started by the code of ``ciphermark up``."""

from pathlib import Path

import redis

from orchestrator.cli.supervisor.children import Child
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.cli.supervisor.private_redis import PrivateRedis


class RedisServer:
    """A private Redis that tests may kill, wipe, and restart."""

    def __init__(self, folder: Path) -> None:
        self.layout = Layout(folder)
        self.layout.make_folders()
        self.private = PrivateRedis(self.layout)
        self.address = self.private.address
        self.child = Child(self.private.program())
        self.start()

    def start(self) -> None:
        self.child.start()
        self.private.wait_until_ready(self.child)

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

    def refused(self, username: str) -> bool:
        """Return whether a login of this user has failed since the start of this Redis."""
        return any(entry["username"] == username and entry["reason"] == "auth" for entry in self.admin().acl_log())

    def admin(self) -> redis.Redis:
        return self.address.client(5)
