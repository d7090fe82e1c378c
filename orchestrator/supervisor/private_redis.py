"""The private Redis of ``up``: Debian's redis-server in its own folder, reached through a unix socket alone.

Its default user is off. The admin's password lives in its configuration file (mode 0600) and is made once; the agents'
users are made by the scheduler, never stored by Redis.
"""

import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import redis

from orchestrator.errors import SetupError
from orchestrator.queue.addresses import BrokerAddress
from orchestrator.supervisor.children import Program
from orchestrator.supervisor.layout import Layout
from orchestrator.supervisor.private_files import write_private

ADMIN = "ciphermark"
READY_SECONDS = 30.0
_PASSWORD = re.compile(r"^user ciphermark on >(\S+) ", re.MULTILINE)


@dataclass(frozen=True)
class Opening:
    """How agents on other machines reach Redis."""

    host: str  # to bind
    port: int
    certificate: Path | None = None
    key: Path | None = None


class PrivateRedis:
    """One Redis in the data folder of ``up``."""

    def __init__(self, layout: Layout, opening: Opening | None = None) -> None:
        """Read or make the password; nothing is started yet."""
        self.layout = layout
        self.opening = opening
        self._configuration = layout.redis_folder / "redis.conf"
        self._password = self._known_password() or secrets.token_urlsafe(32)
        self._lock: int | None = None

    @property
    def address(self) -> BrokerAddress:
        """The admin's address: the unix socket with the admin's credentials."""
        return BrokerAddress("redis+socket", path=str(self.layout.redis_socket)).logged_in(ADMIN, self._password)

    def program(self) -> Program:
        """Write the configuration and return what to start.

        Waits for a Redis that a killed ``up`` left behind to end: two on one append-only file would spoil it. Raises
        SetupError when redis-server is missing, or when the other one does not end.
        """
        executable = shutil.which("redis-server")
        if executable is None:
            raise SetupError(
                "redis-server is not installed.", remedy="apt-get install --no-install-recommends redis-server"
            )
        self._lock = _lock(self.layout.redis_folder / "lock")
        write_private(self._configuration, self._text())
        return Program(
            name="redis",
            arguments=(executable, str(self._configuration)),
            environment={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
            log_file=self.layout.log_folder / "redis.log",
            inherited=(self._lock,),
        )

    def wait_until_ready(self, still_alive: Callable[[], bool]) -> None:
        """Return when Redis answers the admin; raise SetupError with the end of its log when it dies instead."""
        client = redis.Redis.from_url(self.address.redis_url, socket_timeout=2.0)
        deadline = time.monotonic() + READY_SECONDS
        while True:
            try:
                client.ping()
            except redis.RedisError as error:
                if not still_alive() or time.monotonic() > deadline:
                    raise self._failed_to_start(error) from error
                time.sleep(0.02)
            else:
                client.close()
                return

    def close(self) -> None:
        """Give back the lock on the folder, once Redis has ended."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _failed_to_start(self, error: redis.RedisError) -> SetupError:
        log = self.layout.log_folder / "redis.log"
        lines = log.read_text(errors="replace").splitlines()[-5:] if log.exists() else []
        return SetupError(
            f"The private Redis did not start ({error}): {' / '.join(lines)}", remedy=f"See {log} for the whole of it."
        )

    def _known_password(self) -> str | None:
        try:
            found = _PASSWORD.search(self._configuration.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return found.group(1) if found else None

    def _text(self) -> str:
        lines = [
            "# Written by `ciphermark up` at each start.",
            "daemonize no",
            f"dir {_quoted(self.layout.redis_folder)}",
            f"unixsocket {_quoted(self.layout.redis_socket)}",
            "unixsocketperm 700",
            "databases 1",
            # A job that Redis took must be there after a kill: the file is written before the answer, at once. With
            # "everysec" Redis puts writes off while it synchronises. After a power failure the database knows what
            # was lost. Snapshots would only write the same once more.
            "appendonly yes",
            "appendfsync no",
            'save ""',
            # Losing a message silently is worse than refusing one: the outbox keeps what is refused.
            "maxmemory-policy noeviction",
            # Nobody's entry may take more than this of a worker's memory; a job is about a megabyte at most.
            "proto-max-bulk-len 16mb",
            f"user {ADMIN} on >{self._password} ~* &* +@all",
            "user default off resetpass resetkeys resetchannels -@all",
            *self._listening(),
        ]
        return "\n".join(lines) + "\n"

    def _listening(self) -> list[str]:
        opening = self.opening
        if opening is None:
            return ["port 0"]
        if opening.certificate is None or opening.key is None:
            # Without this, Redis refuses other machines as long as its default user has no password: ours is off.
            return [f"bind {opening.host}", f"port {opening.port}", "protected-mode no"]
        return [
            f"bind {opening.host}",
            "port 0",
            f"tls-port {opening.port}",
            f"tls-cert-file {_quoted(opening.certificate)}",
            f"tls-key-file {_quoted(opening.key)}",
            "tls-auth-clients no",
            "protected-mode no",
        ]


def _quoted(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _lock(path: Path, patience_seconds: float = 15.0) -> int:
    """Return a descriptor that holds the lock; children that inherit it hold it too, as long as one of them lives."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + patience_seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                os.close(descriptor)
                raise SetupError(
                    f"Another Redis still works in {path.parent}.", remedy=f"See who holds it: fuser {path}"
                ) from error
            time.sleep(0.1)
        else:
            return descriptor
