"""The scheduler's process: a Celery worker (solo pool) with beat in a thread, so that one kill ends both."""

import time
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
from orchestrator.scheduler.tick import Scheduler, redis_client
from orchestrator.shared.settings import ServiceSettings

_REDIS_RETRY_SECONDS = 0.5

_log = structlog.get_logger(__name__)


def run(settings: ServiceSettings) -> int:
    """Tick until SIGTERM or Ctrl-C; return the worker's exit code."""
    database = Database(settings.resolved_database_url)
    scheduler = Scheduler.of(settings, database)
    address = BrokerAddress.parse(settings.redis_url.get_secret_value())
    _wait_for_redis(redis_client(address))
    app = scheduler_app(address, scheduler.tick)
    start_beat = _start_beat_with_worker(app)
    try:
        with in_use(database.url), QueueGuard(database, redis_client(address)):
            return _run_worker(app)
    finally:
        worker_ready.disconnect(start_beat)
        scheduler.close()
        database.close()


def _run_worker(app: Celery) -> int:
    worker = solo_worker(app, SCHEDULER_QUEUE, "scheduler")
    worker.start()
    return int(worker.exitcode or 0)


def _start_beat_with_worker(app: Celery) -> Any:
    # Unlike Celery's command line, the embedded service does not read `beat_scheduler` from the configuration.
    service: Any = EmbeddedService(app, thread=True, scheduler_cls=app.conf.beat_scheduler)

    def start(**_: Any) -> None:
        service.daemon = True
        service.start()

    def stop(**_: Any) -> None:
        service.stop()

    worker_ready.connect(start, weak=False)
    worker_shutting_down.connect(stop, weak=False)
    return start


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
