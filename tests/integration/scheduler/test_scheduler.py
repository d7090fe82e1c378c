"""The scheduler's process: ticks, Redis users, dispatch, and kills of Redis and of the process."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from orchestrator.database.engine import Database
from orchestrator.database.ticks import last_tick
from orchestrator.wire.base import JOB_QUEUE, broker_username, key_prefix
from tests.support.migrated_database import migrated_database
from tests.support.queued_jobs import AGENT, fill_agent, fill_run
from tests.support.redis_server import RedisServer
from tests.support.seldom import seldom
from tests.support.waiting import GENEROUS_SECONDS, until


class SchedulerProcess:
    def __init__(self, redis_server: RedisServer, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.url = migrated_database(folder)
        self.environment = os.environ | {
            "CIPHERMARK_DATABASE_URL": self.url,
            "CIPHERMARK_DATA_FOLDER": str(folder),
            "CIPHERMARK_REDIS_URL": redis_server.address.url,
        }
        self.log = folder / "scheduler.log"
        self.database = Database(self.url)
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "orchestrator.cli.main", "scheduler"]
            self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)

    def ticks_after(self, moment: datetime) -> bool:
        with self.database.read() as session:
            at = last_tick(session)
        return at is not None and at > moment

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        self.kill()
        self.database.close()


@pytest.fixture
def scheduler(redis_server: RedisServer, tmp_path: Path) -> Iterator[SchedulerProcess]:
    scheduler = SchedulerProcess(redis_server, tmp_path / "data")
    yield scheduler
    scheduler.close()


class TestScheduler:
    def test_waiting_jobs_reach_their_agents_queue_until_sigterm_ends_the_process_cleanly(
        self, redis_server: RedisServer, scheduler: SchedulerProcess
    ) -> None:
        fill_agent(scheduler.database)
        fill_run(scheduler.database, jobs=3)
        queue = key_prefix(AGENT) + JOB_QUEUE
        until(lambda: redis_server.admin().llen(queue) == 2, "the dispatch of a window of two jobs")
        assert broker_username(AGENT) in redis_server.admin().acl_users()
        scheduler.process.terminate()
        assert scheduler.process.wait(GENEROUS_SECONDS) == 0
        assert "Traceback" not in scheduler.log.read_text()

    @pytest.mark.long
    @pytest.mark.parametrize("wiped", [False, *seldom(True)])
    def test_scheduler_survives_a_restart_of_redis(
        self, redis_server: RedisServer, scheduler: SchedulerProcess, wiped: bool
    ) -> None:
        fill_agent(scheduler.database)
        # The user is made in the middle of a tick, so the tick's own acknowledgement meets a dead Redis. That once left
        # a worker which held one message forever, and with a prefetch of one requested no other.
        until(lambda: broker_username(AGENT) in redis_server.admin().acl_users(), "the agent's user")
        redis_server.kill()
        if wiped:
            redis_server.wipe()
        until(lambda: "onnection" in scheduler.log.read_text(), "the scheduler's notice of the lost connection")
        redis_server.start()
        restarted = datetime.now(UTC)
        until(lambda: scheduler.ticks_after(restarted), "the next tick")
        until(lambda: broker_username(AGENT) in redis_server.admin().acl_users(), "the agent's user again")
        assert scheduler.process.poll() is None

    @pytest.mark.long
    def test_kill_ends_all_threads_and_the_next_process_continues(self, scheduler: SchedulerProcess) -> None:
        until(lambda: scheduler.ticks_after(datetime(2000, 1, 1, tzinfo=UTC)), "the first tick")
        family = psutil.Process(scheduler.process.pid).children(recursive=True)
        scheduler.kill()
        killed = datetime.now(UTC)
        # Nothing is left that could tick.
        _, alive = psutil.wait_procs(family, timeout=GENEROUS_SECONDS)
        assert alive == []
        assert not scheduler.ticks_after(killed)
        scheduler.start()
        until(lambda: scheduler.ticks_after(killed), "a tick of the next one")
