"""The private Redis of ``up``: Debian's redis-server with its own folder and a Unix socket.

Its default user is disabled. The admin's password is generated once and stored in the configuration file (mode 0600).
The scheduler creates the agents' users; Redis does not store them.
"""

import fcntl
import os
import re
import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import redis
import structlog

from orchestrator.cli.supervisor.children import Child, ChildProgram
from orchestrator.cli.supervisor.layout import Layout
from orchestrator.queue.addresses import BrokerAddress
from orchestrator.shared.errors import SetupError
from orchestrator.shared.files.private import write_private
from orchestrator.shared.resources import shipped

ADMIN = "ciphermark"
DEFAULT_USER = "user default off resetpass resetkeys resetchannels ~* -@all +@write"
"""Disabled: no client can be it. Redis executes the append-only file with its rights, and without them would drop every
transaction in it."""
READY_SECONDS = 30.0
_DAMAGED, _READY = "bad file format reading the append only file", "ready to accept connections"
"""Lines of the log of Redis, whose capital letters differ between its versions."""
_PASSWORD = re.compile(r"^user ciphermark on >(\S+) ", re.MULTILINE)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class RedisAddress:
    """Network address at which agents on other machines reach Redis."""

    host: str  # to bind
    port: int
    certificate: Path | None = None
    key: Path | None = None


class PrivateRedis:
    """The Redis server in the data folder of ``up``."""

    def __init__(self, layout: Layout, listener: RedisAddress | None = None) -> None:
        """Read or generate the password; nothing is started yet."""
        self.layout = layout
        self.listener = listener
        self._configuration = layout.redis_folder / "redis.conf"
        self._password = self._known_password() or secrets.token_urlsafe(32)
        self._lock: int | None = None

    @property
    def address(self) -> BrokerAddress:
        """The admin's address: the unix socket with the admin's credentials."""
        return BrokerAddress("redis+socket", path=str(self.layout.redis_socket)).logged_in(ADMIN, self._password)

    def program(self) -> ChildProgram:
        """Write the configuration and return the program to start.

        Waits for the end of a Redis that a killed ``up`` left behind, because two would damage the append-only file.
        Raises SetupError if redis-server is missing, or if the other Redis does not end.
        """
        executable = shutil.which("redis-server")
        if executable is None:
            raise SetupError(
                "redis-server is not installed.", remedy="apt-get install --no-install-recommends redis-server"
            )
        self._lock = _lock(self.layout.redis_folder / "lock")
        write_private(self._configuration, self._text())
        return ChildProgram(
            name="redis",
            arguments=(executable, str(self._configuration)),
            environment={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
            log_file=self.layout.log_folder / "redis.log",
            inherited=(self._lock,),
            before_start=self._move_damaged_file_away,
        )

    def wait_until_ready(self, child: Child) -> None:
        """Wait until Redis answers; raises SetupError with the end of its log if it does not start."""
        client = self.address.client(2.0)
        deadline = time.monotonic() + READY_SECONDS
        while True:
            try:
                client.ping()
            except redis.RedisError as error:
                alive = child.pid is not None
                if time.monotonic() > deadline or not (alive or self._has_damaged_file()):
                    raise self._failed_to_start(error) from error
                if not alive:
                    child.start()
                time.sleep(0.02)
            else:
                client.close()
                return

    def close(self) -> None:
        """Release the lock on the folder; call it after Redis has ended."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def _file_folder(self) -> Path:
        return self.layout.redis_folder / "appendonlydir"

    def _has_damaged_file(self) -> bool:
        """Return whether the latest start of Redis ended with an append-only file that it cannot load."""
        return self._file_folder.exists() and _DAMAGED in self._log_text().casefold().rpartition(_READY)[2]

    def _move_damaged_file_away(self) -> None:
        """Let Redis start empty where it would end again: what was in its queues is in the database and sent again.

        A disk that is full when Redis writes can leave half a command before complete ones (Redis 7.0).
        """
        if self._has_damaged_file():
            away = self._file_folder.with_name("appendonlydir.damaged")
            shutil.rmtree(away, ignore_errors=True)
            self._file_folder.replace(away)
            _log.warning("append-only file of Redis damaged; starting with an empty one", moved_to=str(away))

    def _log_text(self) -> str:
        try:
            return (self.layout.log_folder / "redis.log").read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def _failed_to_start(self, error: redis.RedisError) -> SetupError:
        lines = self._log_text().splitlines()[-5:]
        return SetupError(
            f"The private Redis did not start ({error}): {' / '.join(lines)}",
            remedy=f"See the complete log in {self.layout.log_folder / 'redis.log'}.",
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
            (shipped("deploy") / "redis.conf").read_text(encoding="utf-8"),
            f"user {ADMIN} on >{self._password} ~* &* +@all",
            DEFAULT_USER,
            *self._listening(),
        ]
        return "\n".join(lines) + "\n"

    def _listening(self) -> list[str]:
        listener = self.listener
        if listener is None:
            return ["port 0"]
        if listener.certificate is None or listener.key is None:
            return [f"bind {listener.host}", f"port {listener.port}"]
        return [
            f"bind {listener.host}",
            "port 0",
            f"tls-port {listener.port}",
            f"tls-cert-file {_quoted(listener.certificate)}",
            f"tls-key-file {_quoted(listener.key)}",
            "tls-auth-clients no",
        ]


def _quoted(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _lock(path: Path, timeout_seconds: float = 15.0) -> int:
    """Return a descriptor that holds the lock; children that inherit it hold it until the last of them ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + timeout_seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                os.close(descriptor)
                raise SetupError(
                    f"Another Redis is still running in {path.parent}.", remedy=f"Find and stop it: fuser {path}"
                ) from error
            time.sleep(0.1)
        else:
            return descriptor
