"""An agent's Redis user may send what a Celery worker of its queue sends, and nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import redis

from orchestrator.queue.redis_users import RedisUsers
from orchestrator.wire.base import broker_username, key_prefix
from tests.integration.queue.test_agent_queue import AGENT, OTHER, PASSWORD, user
from tests.support.redis_server import RedisServer

NEEDED = {
    *("ping", "multi", "exec", "watch", "unwatch"),
    *("brpop", "llen", "lpush", "rpush", "zadd", "zrem", "zrange", "hset", "hget", "hdel"),
    "client|setinfo",
}
UNDENIABLE = {"auth", "hello", "reset", "quit"}
"""Redis executes them before the login of a user, so that no rule can deny them."""
OWN_KEY = f"{key_prefix(AGENT)}jobs"


@dataclass(frozen=True)
class Command:
    name: str  # container|subcommand, as in ACL rules
    arity: int
    categories: frozenset[str]

    @property
    def call(self) -> list[str]:
        """Arguments with which Redis checks the rights: as many as required, each the agent's own key."""
        words = self.name.split("|")
        return words + [OWN_KEY] * max(abs(self.arity) - len(words), 0)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """Return a Redis that all tests share: what is refused changes nothing."""
    server = RedisServer(tmp_path_factory.mktemp("redis") / "server")
    RedisUsers(server.admin()).synchronize([user(AGENT), user(OTHER)])
    yield server
    server.stop()


@pytest.fixture
def agent(server: RedisServer) -> Iterator[redis.Redis]:
    with server.address.logged_in(broker_username(AGENT), PASSWORD).client() as client:
        yield client


def all_commands(client: redis.Redis) -> list[Command]:
    """Return every command and subcommand of this Redis."""
    # A command without redis-py's conversion of its answer: conversions lose the subcommands.
    raw = client.execute_command("COMMAND INFO", *[_text(name) for name in client.command_list()])
    return [command for entry in raw if entry is not None for command in _with_subcommands(entry)]


def _with_subcommands(entry: list[object]) -> Iterator[Command]:
    name, arity, categories, subcommands = entry[0], entry[1], entry[6], entry[9]
    assert isinstance(arity, int)
    assert isinstance(categories, (list, set))
    assert isinstance(subcommands, (list, set))
    if not subcommands:
        yield Command(_text(name), arity, frozenset(_text(one).lstrip("@") for one in categories))
    for subcommand in subcommands:
        yield from _with_subcommands(subcommand)


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def permitted(client: redis.Redis, commands: list[Command]) -> set[str]:
    answers = {one.name: client.execute_command("ACL", "DRYRUN", broker_username(AGENT), *one.call) for one in commands}
    return {name for name, answer in answers.items() if _text(answer) == "OK"}


def test_agent_may_send_only_the_commands_of_a_worker(server: RedisServer) -> None:
    admin = server.admin()
    commands = all_commands(admin)
    allowed = permitted(admin, commands)
    assert len(commands) > 300
    for category in sorted({name for command in commands for name in command.categories}):
        names = {command.name for command in commands if category in command.categories}
        passed = sorted(names & allowed)
        print(f"{category:12} {len(passed):3} allowed, {len(names - allowed):3} denied: {' '.join(passed)}")
    assert allowed - NEEDED == UNDENIABLE
    assert NEEDED - allowed <= {"client|setinfo"}, "Redis before 7.2 has no CLIENT SETINFO"


@pytest.mark.parametrize(
    "command",
    [
        ("CLIENT", "PAUSE", "1000"),
        ("CLIENT", "KILL", "TYPE", "normal"),
        ("CLIENT", "LIST"),
        ("CLIENT", "NO-EVICT", "ON"),
        ("CLIENT", "REPLY", "OFF"),
        ("LLEN", f"{key_prefix(OTHER)}jobs"),
        ("BRPOP", f"{key_prefix(OTHER)}jobs", "0.01"),
        ("LPUSH", "cm:ticks", "{}"),
        ("GET", f"{key_prefix(OTHER)}x"),
        ("EVAL", f"return redis.call('GET', '{key_prefix(OTHER)}x')", "0"),
        ("KEYS", "*"),
        ("SCAN", "0"),
        ("FLUSHALL",),
        ("ACL", "LIST"),
        ("SUBSCRIBE", "x"),
        ("MONITOR",),
        ("SHUTDOWN",),
        ("EVAL", "while true do end", "0"),
        ("EVALSHA", "c3f8721cbb97f72bc19e972846bd7aaf91901658", "0"),
        ("FCALL", "f", "0"),
        ("SCRIPT", "LOAD", "return 1"),
        ("CONFIG", "SET", "maxmemory", "0"),
        ("INFO",),
        ("SELECT", "0"),
        ("PUBLISH", f"{key_prefix(AGENT)}x", "1"),
        ("SET", OWN_KEY, "x"),
        ("DEL", OWN_KEY),
        ("LPUSH", f"{key_prefix(AGENT)}another-key", "x"),
        ("LPUSH", f"{key_prefix(OTHER)}jobs", "x"),
    ],
    ids=" ".join,
)
def test_agent_cannot_stop_or_read_what_others_use(agent: redis.Redis, command: tuple[str, ...]) -> None:
    with pytest.raises(redis.exceptions.NoPermissionError):
        agent.execute_command(*command)
