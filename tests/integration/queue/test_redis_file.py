"""The append-only file of Redis: complete after a restart, and small however long nothing is measured."""

import re

import pytest
import redis

from orchestrator.queue.redis_users import AgentUser, RedisUsers
from orchestrator.queue.scheduler_app import SCHEDULER_PREFIX, TICK_TASK, scheduler_app
from orchestrator.wire.base import broker_username
from tests.support.paths import REPOSITORY
from tests.support.redis_server import RedisServer
from tests.support.waiting import GENEROUS_SECONDS, until

pytestmark = pytest.mark.untraced

AGENT = AgentUser("abcdefghij01", ("5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",))
"""Its password is ``password``."""
REWRITTEN_BYTES = 4 * 1024 * 1024
MESSAGE = b"m" * 20_000


def test_transactions_of_agents_and_scheduler_are_there_after_a_restart(redis_server: RedisServer) -> None:
    RedisUsers(redis_server.admin()).synchronize([AGENT])
    queue, unacked, index = AGENT.keys
    own = redis_server.address.logged_in(broker_username(AGENT.agent_id), "password")
    with own.client() as agent, agent.pipeline(transaction=True) as pipe:
        pipe.rpush(queue, "restored").hset(unacked, "tag", "delivered").zadd(index, {"tag": 1.0}).execute()
    with redis_server.admin().pipeline(transaction=True) as pipe:
        pipe.lpush(queue, "sent").execute()
    for _ in range(2):
        redis_server.kill()
        redis_server.start()
    admin = redis_server.admin()
    assert admin.lrange(queue, 0, -1) == [b"sent", b"restored"]
    assert (admin.hgetall(unacked), admin.zrange(index, 0, -1)) == ({b"tag": b"delivered"}, [b"tag"])
    log = (redis_server.layout.log_folder / "redis.log").read_text()
    assert not re.findall("CRITICAL|ERR|NOPERM", log)


def test_file_that_redis_cannot_load_is_moved_away(redis_server: RedisServer) -> None:
    """Regression: a full disk can leave half a command within the file, with which Redis ended at each start."""
    admin = redis_server.admin()
    admin.set("before", "1")
    for _ in range(2):  # The second start finds what an earlier one moved away.
        redis_server.kill()
        (file,) = redis_server.layout.redis_folder.glob("appendonlydir/*.incr.aof")
        file.write_bytes(file.read_bytes() + b"*3\r\n$3\r\nSET\r\n$6\r\nbe*1\r\n$4\r\nPING\r\n" * 2)
        redis_server.start()
        assert admin.keys() == []
        assert list(redis_server.layout.redis_folder.glob("appendonlydir.damaged/*.incr.aof"))
        admin.set("after", "1")
    redis_server.kill()
    redis_server.start()
    assert admin.keys() == [b"after"]


@pytest.mark.long
def test_default_user_that_replays_the_file_cannot_be_used_by_a_client(redis_server: RedisServer) -> None:
    with redis.Redis(unix_socket_path=str(redis_server.layout.redis_socket)) as stranger:
        with pytest.raises(redis.AuthenticationError):
            stranger.set("key", "value")
        with pytest.raises(redis.AuthenticationError):
            stranger.execute_command("AUTH", "default", "")


@pytest.mark.parametrize("file", ["deploy/compose-secrets.sh", "deploy/systemd/install-server.sh"])
def test_every_redis_has_the_same_default_user(file: str, redis_server: RedisServer) -> None:
    configuration = (redis_server.layout.redis_folder / "redis.conf").read_text()
    (line,) = re.findall(r"^user default .*$", configuration, re.MULTILINE)
    assert f"echo '{line}'" in (REPOSITORY / file).read_text()


def test_file_is_rewritten_before_it_is_large(redis_server: RedisServer) -> None:
    admin = redis_server.admin()
    for _ in range(2 * REWRITTEN_BYTES // len(MESSAGE)):
        admin.lpush("key", MESSAGE)
        admin.rpop("key")
    until(lambda: admin.info("persistence")["aof_current_size"] < REWRITTEN_BYTES, "the rewritten file")


def test_tick_is_received_without_a_note_in_redis(redis_server: RedisServer) -> None:
    """A tick that is lost in a crash needs no repetition: the next one does its work."""
    app = scheduler_app(redis_server.address, lambda: None)
    received: list[object] = []
    with app.connection_for_write() as connection, connection.channel() as channel:
        app.send_task(TICK_TASK)
        with app.amqp.TaskConsumer(channel, on_message=received.append):
            connection.drain_events(timeout=GENEROUS_SECONDS)
            assert len(received) == 1
            assert [key for key in redis_server.admin().scan_iter() if key.startswith(SCHEDULER_PREFIX.encode())] == []
