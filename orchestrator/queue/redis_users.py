"""Redis users of the agents: each may touch the keys under its own prefix, with the commands of a Celery worker.

The database knows the users (id and SHA-256 of the password); Redis is told again whenever it forgot, so a wiped Redis
heals by itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import redis
import structlog
from sqlalchemy import select

from orchestrator.database.engine import Database
from orchestrator.database.models import Agent
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
"""What kombu's Redis transport sends for one queue, nothing else: no KEYS, FLUSHALL, CONFIG, ACL, PUBLISH."""

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

    def make(self, client: redis.Redis) -> None:
        """Make the user; the rule replaces whatever the user could do before."""
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
    """Keeps Redis' users equal to the agents of the database."""

    client: redis.Redis
    _applied: dict[str, AgentUser] = field(default_factory=dict)

    def synchronise(self, wanted: Iterable[AgentUser]) -> None:
        """Make missing and changed users, delete those of nobody; do nothing when all is as it was.

        Every user is made anew once in each life of this object, because its rules may be those of an older version.
        Raises redis.RedisError when Redis does not answer.
        """
        by_name = {user.name: user for user in wanted}
        present = {name for name in self._names() if name.startswith(_USER_PREFIX)}
        for name in present - by_name.keys():
            self.client.acl_deluser(name)
            self._applied.pop(name, None)
            _log.info("redis user deleted", user=name)
        for name, user in by_name.items():
            if name not in present or self._applied.get(name) != user:
                user.make(self.client)
                self._applied[name] = user
                _log.info("redis user made", user=name)

    def _names(self) -> list[str]:
        return [name.decode() if isinstance(name, bytes) else name for name in self.client.acl_users()]


def wanted_users(database: Database) -> list[AgentUser]:
    """Return a user for every agent that was not revoked."""
    agents = select(Agent.id, Agent.broker_password_hash).where(Agent.revoked_at.is_(None))
    with database.read() as session:
        return [AgentUser(agent_id, password_sha256) for agent_id, password_sha256 in session.execute(agents)]
