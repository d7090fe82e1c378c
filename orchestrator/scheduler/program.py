"""The scheduler's process: a Celery worker (solo pool) with beat in a thread, so that one kill ends both."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis
import structlog
from celery import Celery
from celery.beat import EmbeddedService
from celery.signals import worker_ready, worker_shutting_down

from orchestrator.database.engine import Database
from orchestrator.database.usage import in_use
from orchestrator.queue.addresses import BrokerAddress
from orchestrator.queue.agent_app import solo_worker
from orchestrator.queue.scheduler_app import SCHEDULER_QUEUE, scheduler_app
from orchestrator.scheduler.queue_guard import QueueGuard
from orchestrator.scheduler.tick import Scheduler
from orchestrator.shared.settings import ServiceSettings

_REDIS_RETRY_SECONDS = 0.5
_BEAT_SECONDS = 5.0
"""How long the end of beat's thread is waited for, which ends with the process in any case."""

_log = structlog.get_logger(__name__)


def run(settings: ServiceSettings) -> int:
    """Tick until SIGTERM or Ctrl-C; return the worker's exit code."""
    database = Database(settings.resolved_database_url)
    scheduler = Scheduler(settings, database)
    address = BrokerAddress.parse(settings.redis_url.get_secret_value())
    _wait_for_redis(address.client())
    app = scheduler_app(address, scheduler.tick)
    try:
        with in_use(database.url), QueueGuard(database, address.client()), beat_with_worker(app):
            return _run_worker(app)
    finally:
        scheduler.close()
        database.close()


def _run_worker(app: Celery) -> int:
    worker = solo_worker(app, SCHEDULER_QUEUE, "scheduler")
    worker.start()
    return int(worker.exitcode or 0)


@contextmanager
def beat_with_worker(app: Celery) -> Iterator[None]:
    """Let beat send ticks from the moment when the worker is ready until it shuts down."""
    # Unlike Celery's command line, the embedded service does not read `beat_scheduler` from the configuration.
    thread: Any = EmbeddedService(app, thread=True, scheduler_cls=app.conf.beat_scheduler)

    def start(**_: Any) -> None:
        thread.daemon = True
        thread.start()

    def stop(**_: Any) -> None:
        # The handler of SIGTERM calls this between two instructions of the main thread. To wait here for beat's thread,
        # as `thread.stop()` does, never ends if that thread needs a lock that the main thread holds.
        thread.service.stop()

    worker_ready.connect(start, weak=False)
    worker_shutting_down.connect(stop, weak=False)
    try:
        yield
    finally:
        worker_ready.disconnect(start)
        worker_shutting_down.disconnect(stop)
        stop()
        if thread.is_alive():
            thread.join(_BEAT_SECONDS)


def _wait_for_redis(client: redis.Redis) -> None:
    # Celery's beat waits up to 30 s between its first attempts; a ping does not.
    logged = False
    while True:
        try:
            client.ping()
        except redis.RedisError as error:
            if not logged:
                _log.warning("waiting for redis", error=str(error))
                logged = True
            time.sleep(_REDIS_RETRY_SECONDS)
        else:
            return
