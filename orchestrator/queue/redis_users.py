"""Redis users of the agents: each may access the keys under its own prefix, with the commands of a Celery worker.

The database holds the users (id and SHA-256 of the password). They are created again whenever Redis lacks them, so a
wiped Redis needs no repair.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import redis
import structlog

from orchestrator.wire.base import broker_username, key_prefix

_USER_PREFIX = broker_username("")
_COMMANDS = (
    *("+info", "+multi", "+exec", "+discard", "+watch", "+unwatch"),
    *("+brpop", "+lpush", "+rpush", "+llen"),
    *("+zadd", "+zrem", "+zrange"),
    *("+hset", "+hget", "+hdel", "+hlen"),
    *("+sadd", "+srem", "+smembers"),
    *("+set", "+get", "+del", "+expire"),
    *("+eval", "+evalsha", "+script|load"),
)
"""Commands that kombu's Redis transport sends for one queue; no KEYS, FLUSHALL, CONFIG, ACL, or PUBLISH."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class AgentUser:
    """One agent's Redis user."""

    agent_id: str
    password_sha256: str

    @property
    def name(self) -> str:
        """The user's name in Redis."""
        return broker_username(self.agent_id)

    def create(self, client: redis.Redis) -> None:
        """Create the user, or replace its password and rights."""
        keys = f"{key_prefix(self.agent_id)}*"
        client.acl_setuser(
            self.name,
            enabled=True,
            reset=True,
            hashed_passwords=[f"+{self.password_sha256}"],
            keys=[keys],
            channels=[keys],
            categories=["+@connection"],
            commands=list(_COMMANDS),
        )


@dataclass
class RedisUsers:
    """Keeps the users in Redis equal to the agents in the database."""

    client: redis.Redis
    _applied: dict[str, AgentUser] = field(default_factory=dict)

    def synchronize(self, users: Iterable[AgentUser]) -> None:
        """Create missing and changed users, and delete users without an agent.

        The first call replaces every user, because the rights in Redis may be those of an older version.
        Raises redis.RedisError when Redis does not answer.
        """
        by_name = {user.name: user for user in users}
        present = {name for name in self._names() if name.startswith(_USER_PREFIX)}
        for name in present - by_name.keys():
            self.client.acl_deluser(name)
            self._applied.pop(name, None)
            _log.info("redis user deleted", user=name)
        for name, user in by_name.items():
            if name not in present or self._applied.get(name) != user:
                user.create(self.client)
                self._applied[name] = user
                _log.info("redis user created", user=name)

    def _names(self) -> list[str]:
        return [name.decode() if isinstance(name, bytes) else name for name in self.client.acl_users()]
