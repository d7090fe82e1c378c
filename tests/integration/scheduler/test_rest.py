"""The scheduler rests while nothing changes, and notices each change with its next tick."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.database.engine import Database
from orchestrator.database.models import now
from orchestrator.database.ticks import last_tick, note_tick
from orchestrator.scheduler.tick import REST_SECONDS, Scheduler
from orchestrator.wire.base import JOB_QUEUE, key_prefix
from tests.support.migrated_database import migrated_settings
from tests.support.queued_jobs import AGENT, fill_agent, fill_run
from tests.support.redis_server import RedisServer
from tests.support.waiting import until


class Resting(Scheduler):
    """A scheduler whose time a test sets."""

    seconds = 0.0

    def tick_executes(self) -> bool:
        """Return whether a tick executed the steps."""
        with self.database.read() as session:
            before = last_tick(session)
        self.tick()
        with self.database.read() as session:
            return last_tick(session) != before


@pytest.fixture
def scheduler(redis_server: RedisServer, tmp_path: Path) -> Iterator[Resting]:
    settings = migrated_settings(
        data_folder=tmp_path, redis_url=redis_server.address.url, cache_folder=tmp_path / "cache", backup_hours=0
    )
    database = Database(settings.resolved_database_url)
    scheduler = Resting(settings, database)
    scheduler.clock = lambda: scheduler.seconds
    if database.version() is None:
        pytest.skip("PostgreSQL has no number of its changes: each tick executes the steps")
    yield scheduler
    scheduler.close()
    database.close()


def settle(scheduler: Resting) -> None:
    """Tick until the first backups and searches are stored."""
    while scheduler.tick_executes():
        pass


def test_nothing_is_executed_while_nothing_changes(scheduler: Resting) -> None:
    settle(scheduler)
    scheduler.seconds = REST_SECONDS / 2
    assert not scheduler.tick_executes()
    scheduler.seconds = REST_SECONDS
    assert scheduler.tick_executes()


def test_change_by_another_connection_is_noticed_with_the_next_tick(
    scheduler: Resting, redis_server: RedisServer
) -> None:
    settle(scheduler)
    fill_agent(scheduler.database)
    fill_run(scheduler.database, jobs=3)
    assert scheduler.tick_executes()
    assert redis_server.admin().llen(key_prefix(AGENT) + JOB_QUEUE) == 2


def test_change_during_a_tick_is_noticed_with_the_next(scheduler: Resting) -> None:
    settle(scheduler)
    scheduler.seconds += REST_SECONDS

    def change() -> None:
        scheduler.watches.step = lambda: None  # type: ignore[method-assign]
        with scheduler.database.write() as session:
            note_tick(session, now(), "another program")

    scheduler.watches.step = change  # type: ignore[method-assign]
    assert scheduler.tick_executes()
    assert scheduler.tick_executes()
    # A thread of a step may store its result a tick later.
    until(lambda: not scheduler.tick_executes(), "rest")


def test_failing_step_is_executed_with_each_tick(scheduler: Resting, redis_server: RedisServer) -> None:
    settle(scheduler)
    redis_server.kill()
    scheduler.seconds += REST_SECONDS
    assert scheduler.tick_executes()
    assert scheduler.tick_executes()
    redis_server.start()
    settle(scheduler)
