"""Usage of Redis by the agents: the memory of their keys, and their connections."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import redis

from orchestrator.queue.redis_users import AgentUser

_NOT_LOGGED_IN = "default"
"""User that Redis shows for a connection before its login; the user itself is disabled."""


@dataclass(frozen=True)
class Connections:
    """Connections of a Redis server by user."""

    by_user: Mapping[str, int]
    not_logged_in: Sequence[int]
    """Ids of the connections that have not logged in for at least the given time."""


def memory_bytes(client: redis.Redis, agent_ids: Iterable[str]) -> dict[str, int]:
    """Return the memory of each agent's keys in bytes, with Redis' own overhead.

    Every element counts: Redis' default of five samples would miss large elements behind small ones.
    """
    keys = {agent_id: AgentUser(agent_id).keys for agent_id in agent_ids}
    pipeline = client.pipeline(transaction=False)
    for names in keys.values():
        for name in names:
            pipeline.memory_usage(name, samples=0)
    sizes = iter(pipeline.execute())
    return {agent_id: sum(next(sizes) or 0 for _ in names) for agent_id, names in keys.items()}


def connection_count(client: redis.Redis) -> int:
    """Return the number of open connections; its cost does not depend on it, unlike that of `connections`."""
    return int(client.info("clients")["connected_clients"])


def connections(client: redis.Redis, login_seconds: int) -> Connections:
    """Return all connections by user, and those that have not logged in for `login_seconds`."""
    by_user: dict[str, int] = {}
    late: list[int] = []
    for one in client.client_list():
        user = one["user"]
        by_user[user] = by_user.get(user, 0) + 1
        if user == _NOT_LOGGED_IN and int(one["age"]) >= login_seconds:
            late.append(int(one["id"]))
    return Connections(by_user, late)
