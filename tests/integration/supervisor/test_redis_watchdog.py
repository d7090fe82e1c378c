"""The watchdog of the private Redis: a Redis that runs but does not answer counts as stuck."""

import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
import redis

from orchestrator.cli.supervisor.redis_watchdog import RedisWatchdog
from tests.support.redis_server import RedisServer
from tests.support.waiting import until


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "server")
    yield server
    server.kill()
    server.stop()


@pytest.fixture
def watchdog(server: RedisServer) -> Iterator[RedisWatchdog]:
    watchdog = RedisWatchdog(server.address, ping_seconds=0.2, interval_seconds=0.05)
    watchdog.start()
    yield watchdog
    watchdog.close()


def test_stopped_redis_is_stuck_and_a_continued_one_is_not(server: RedisServer, watchdog: RedisWatchdog) -> None:
    assert server.child._process is not None
    server.child._process.send_signal(signal.SIGSTOP)
    until(lambda: watchdog.is_stuck, "the notice that Redis does not answer")
    server.child._process.send_signal(signal.SIGCONT)
    until(lambda: not watchdog.is_stuck, "the notice that Redis answers")


def test_endless_script_is_stuck(server: RedisServer, watchdog: RedisWatchdog) -> None:
    admin = server.admin()
    admin.config_set("busy-reply-threshold", 1)

    def run() -> None:
        with pytest.raises(redis.RedisError):
            admin.eval("redis.call('SET', 'x', 1) while true do end", 0)

    script = Thread(target=run)
    script.start()
    until(lambda: watchdog.is_stuck, "the notice that a script does not end")
    server.kill()
    script.join()


def test_redis_that_does_not_run_is_not_stuck(server: RedisServer, watchdog: RedisWatchdog) -> None:
    assert server.child._process is not None
    server.child._process.send_signal(signal.SIGSTOP)
    until(lambda: watchdog.is_stuck, "the notice that Redis does not answer")
    server.kill()
    until(lambda: not watchdog.is_stuck, "the end of the notice")
