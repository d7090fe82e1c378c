"""Redis users of the agents: each may send exactly what the Celery worker of its own queue sends, to its own keys.

The database holds the users (id and SHA-256 of the passwords, of which there are several while one is replaced). They
are created again whenever Redis lacks them, so a wiped Redis needs no repair.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import redis
import structlog

from orchestrator.queue.transport import QUEUE_KEYS
from orchestrator.wire.base import broker_username, key_prefix

_USER_PREFIX = broker_username("")
COMMANDS = (
    "ping",
    *("multi", "exec", "watch", "unwatch"),  # acknowledge and restore a message: all of its keys or none
    *("brpop", "llen"),  # receive; size of the queue at its declaration
    *("lpush", "rpush"),  # put an unacknowledged message back into the queue
    *("zadd", "zrem", "zrange"),  # index of unacknowledged messages, by the time of their delivery
    *("hset", "hget", "hdel"),  # unacknowledged messages
)
"""Commands of kombu's Redis transport for one queue without fanout, as a real worker sends them at start, delivery,
acknowledgment, rejection, restoration and shutdown. AUTH, HELLO, RESET and QUIT cannot be denied. Scripts are not
needed, because the transport restores messages without kombu's lock (see transport.py)."""
_COMMANDS_OF_NEWER_VERSIONS = ("client|setinfo",)
"""Sent by redis-py at each connection, since Redis 7.2; an older Redis refuses a user with an unknown command."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class AgentUser:
    """One agent's Redis user."""

    agent_id: str
    passwords_sha256: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The user's name in Redis."""
        return broker_username(self.agent_id)

    @property
    def keys(self) -> list[str]:
        """The keys that the user may access."""
        return [key_prefix(self.agent_id) + name for name in QUEUE_KEYS]

    def create(self, client: redis.Redis, commands: Iterable[str] = COMMANDS) -> None:
        """Create the user, or replace its passwords and rights: no command but these, no other key, no channel."""
        client.acl_setuser(
            self.name,
            enabled=True,
            reset=True,
            hashed_passwords=[f"+{one}" for one in self.passwords_sha256],
            keys=self.keys,
            commands=["-@all", *(f"+{command}" for command in commands)],
        )


def close_queue(client: redis.Redis, user: AgentUser) -> None:
    """Delete a user, which closes its connections, and its keys; the database still has the jobs."""
    client.acl_deluser(user.name)
    client.unlink(*user.keys)


@dataclass
class RedisUsers:
    """Keeps the users in Redis equal to the agents in the database."""

    client: redis.Redis
    _applied: dict[str, AgentUser] = field(default_factory=dict)
    _commands: tuple[str, ...] = ()

    def synchronize(self, users: Iterable[AgentUser]) -> None:
        """Create missing and changed users, and delete users without an agent, with their keys.

        The first call replaces every user, because the rights in Redis may be those of an older version.
        Raises redis.RedisError when Redis does not answer.
        """
        self._commands = self._commands or (*COMMANDS, *self._known(_COMMANDS_OF_NEWER_VERSIONS))
        by_name = {user.name: user for user in users}
        present = {name for name in self._names() if name.startswith(_USER_PREFIX)}
        for name in present - by_name.keys():
            close_queue(self.client, AgentUser(name.removeprefix(_USER_PREFIX)))
            self._applied.pop(name, None)
            _log.info("redis user deleted", user=name)
        for name, user in by_name.items():
            if name not in present or self._applied.get(name) != user:
                user.create(self.client, self._commands)
                self._applied[name] = user
                _log.info("redis user created", user=name)

    def _known(self, commands: Iterable[str]) -> list[str]:
        """Return the commands that this Redis has."""
        client: Any = self.client
        return [command for command in commands if client.execute_command("COMMAND INFO", command)[0] is not None]

    def _names(self) -> list[str]:
        return [name.decode() if isinstance(name, bytes) else name for name in self.client.acl_users()]
