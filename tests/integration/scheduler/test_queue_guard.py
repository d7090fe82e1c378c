"""The guard of the queue: a flooding agent is cut off alone, and returns after an approval."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import redis
from sqlalchemy import select

from orchestrator.agents import enrollment
from orchestrator.database.engine import Database
from orchestrator.database.models import Agent, now
from orchestrator.queue.redis_users import RedisUsers
from orchestrator.queue.sender import JobSender
from orchestrator.scheduler.queue_guard import MAX_AGENT_CONNECTIONS, QueueGuard
from orchestrator.scheduler.repository import agent_users, serving_agents
from orchestrator.shared.errors import Unavailable
from orchestrator.shared.units import MIB
from orchestrator.wire.base import broker_username, key_prefix
from tests.integration.queue.test_agent_queue import job
from tests.support.queued_jobs import fill_agent
from tests.support.redis_server import RedisServer
from tests.support.waiting import until

FLOODER, OTHER = "aaaaaaaaaaaa", "bbbbbbbbbbbb"
PASSWORD = "known only to the agent"
QUEUE = f"{key_prefix(FLOODER)}jobs"


@pytest.fixture
def users(redis_server: RedisServer, database: Database) -> RedisUsers:
    fill_agent(database, FLOODER)
    fill_agent(database, OTHER)
    users = RedisUsers(redis_server.admin())
    synchronize(users, database)
    return users


def synchronize(users: RedisUsers, database: Database) -> None:
    with database.read() as session:
        users.synchronize(agent_users(session, now()))


@pytest.fixture
def guard(redis_server: RedisServer, database: Database, users: RedisUsers) -> QueueGuard:
    return QueueGuard(database, redis_server.admin(), max_bytes=1 * MIB)


@pytest.fixture
def connect(redis_server: RedisServer) -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def agent_client(server: RedisServer, agent_id: str) -> redis.Redis:
    return server.address.logged_in(broker_username(agent_id), PASSWORD).client()


def closed_reason(database: Database, agent_id: str) -> str | None:
    with database.read() as session:
        return session.scalar(select(Agent.queue_closed_reason).where(Agent.id == agent_id))


def works(client: redis.Redis, agent_id: str) -> bool:
    try:
        return client.llen(f"{key_prefix(agent_id)}jobs") >= 0
    except redis.RedisError:
        return False


def test_agents_within_their_limits_keep_their_queues(
    redis_server: RedisServer, database: Database, guard: QueueGuard
) -> None:
    client = agent_client(redis_server, FLOODER)
    client.lpush(QUEUE, "x" * (MIB // 2))
    guard.check()
    assert works(client, FLOODER)
    assert closed_reason(database, FLOODER) is None


@pytest.mark.parametrize("elements", [1, 20_000], ids=["one large element", "many small elements"])
def test_flooding_agent_is_cut_off_alone(
    redis_server: RedisServer, database: Database, guard: QueueGuard, elements: int
) -> None:
    client, other = agent_client(redis_server, FLOODER), agent_client(redis_server, OTHER)
    # Small elements first: a measurement by samples would see only them.
    client.lpush(QUEUE, *["x" * (2 * MIB // elements)] * elements)
    client.rpush(QUEUE, *["x"] * 10)
    assert works(other, OTHER)
    guard.check()
    assert not works(client, FLOODER)
    assert works(other, OTHER)
    reason = closed_reason(database, FLOODER)
    assert reason is not None
    assert "its keys in Redis have 2" in reason
    assert "the limit is 1 MiB" in reason
    assert redis_server.admin().exists(QUEUE) == 0
    with database.read() as session:
        assert serving_agents(session, now()) == [OTHER]


def test_cut_off_agent_returns_after_an_approval(
    redis_server: RedisServer, database: Database, guard: QueueGuard, users: RedisUsers
) -> None:
    client = agent_client(redis_server, FLOODER)
    client.lpush(QUEUE, "x" * (2 * MIB))
    guard.check()
    synchronize(users, database)
    assert not works(agent_client(redis_server, FLOODER), FLOODER), "the tick must not create the user again"
    enrollment.approve(database, FLOODER)
    synchronize(users, database)
    assert works(agent_client(redis_server, FLOODER), FLOODER)
    assert closed_reason(database, FLOODER) is None


def test_agent_with_too_many_connections_is_cut_off(
    redis_server: RedisServer, database: Database, guard: QueueGuard, connect: ExitStack
) -> None:
    for _ in range(MAX_AGENT_CONNECTIONS * 3 + 1):
        client = connect.enter_context(agent_client(redis_server, FLOODER))
        assert works(client, FLOODER)
    guard.check()
    assert (
        closed_reason(database, FLOODER)
        == f"it has {MAX_AGENT_CONNECTIONS * 3 + 1} connections to Redis, the limit is 32"
    )
    assert closed_reason(database, OTHER) is None


@pytest.mark.long
def test_connections_without_a_login_are_closed(
    redis_server: RedisServer, guard: QueueGuard, connect: ExitStack
) -> None:
    path = str(redis_server.layout.redis_socket)
    for _ in range(MAX_AGENT_CONNECTIONS * 3):
        visitor = connect.enter_context(socket.socket(socket.AF_UNIX))
        visitor.connect(path)

    def closed() -> bool:
        guard.check()
        return int(redis_server.admin().info("clients")["connected_clients"]) < 10

    until(closed, "the closing of connections that did not log in within 10 s")


def test_guard_frees_a_full_redis_that_refuses_the_jobs_of_all(
    redis_server: RedisServer, database: Database, users: RedisUsers
) -> None:
    sender = JobSender(redis_server.address)
    admin = redis_server.admin()
    for _ in range(8):
        agent_client(redis_server, FLOODER).lpush(QUEUE, "x" * MIB)
    admin.config_set("maxmemory", 6 * MIB)
    with pytest.raises(Unavailable, match="maxmemory"):
        sender.send(job(1, OTHER))
    with QueueGuard(database, redis_server.admin(), max_bytes=1 * MIB):
        until(lambda: closed_reason(database, FLOODER) is not None, "the closing of the queue")
        until(lambda: admin.exists(QUEUE) == 0, "the deletion of its keys")
    sender.send(job(1, OTHER))
    assert admin.llen(f"{key_prefix(OTHER)}jobs") == 1
    sender.close()


def test_queue_of_a_deleted_user_is_deleted(redis_server: RedisServer, database: Database, users: RedisUsers) -> None:
    agent_client(redis_server, FLOODER).lpush(QUEUE, "x")
    enrollment.revoke(database, FLOODER)
    synchronize(users, database)
    assert redis_server.admin().exists(QUEUE) == 0
