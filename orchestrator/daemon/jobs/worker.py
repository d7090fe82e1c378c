"""The Celery worker of one agent: its own queue, solo, acks late, one job at a time, no remote control."""

import os
import signal
import sys
from typing import Any

import structlog
from celery import Celery
from celery.exceptions import Reject
from celery.signals import worker_shutting_down
from kombu.exceptions import KombuError
from redis import RedisError

from orchestrator.daemon.jobs.handler import JobHandler
from orchestrator.daemon.session.identity import Identity
from orchestrator.daemon.session.status import Status
from orchestrator.queue.addresses import BrokerAddress
from orchestrator.queue.agent_app import agent_app, restore_unacknowledged, solo_worker
from orchestrator.wire.base import JOB_QUEUE, JOB_TASK

CRASH_EXIT_CODE = 70
_RETRY_SECONDS = 1.0

_log = structlog.get_logger(__name__)


def make_app(identity: Identity, handler: JobHandler) -> Celery:
    """Return the agent's Celery app with its one task."""
    enrollment = identity.enrollment
    address = BrokerAddress.parse(enrollment.broker_url)
    app = agent_app(enrollment.agent_id, address.logged_in(enrollment.broker_username, enrollment.broker_password))

    # Without typing: a message with other arguments must reach the handler, which sets it aside with its content.
    @app.task(name=JOB_TASK, typing=False)
    def execute_job(*arguments: Any, **named: Any) -> None:
        body = arguments[0] if len(arguments) == 1 and not named else {"args": arguments, "kwargs": named}
        if _handled(handler, body) == "give-back":
            raise Reject("the job was stopped before its end", requeue=True)

    return app


def run_worker(app: Celery, status: Status) -> None:
    """Take jobs until SIGTERM or SIGINT; the execution in work is finished, its job released."""
    if not _restore_when_redis_answers(app, status):
        return

    def shut_down(**_: object) -> None:
        status.shut_down()

    worker_shutting_down.connect(shut_down)
    try:
        solo_worker(app, JOB_QUEUE, "daemon").start()
    except SystemExit:
        _log.info("worker ended")
    finally:
        worker_shutting_down.disconnect(shut_down)


def end_worker() -> None:
    """Ask the worker of this process to end, from any thread."""
    os.kill(os.getpid(), signal.SIGTERM)


def _restore_when_redis_answers(app: Celery, status: Status) -> bool:
    """Put what a killed daemon left unacknowledged back into the queue; wait for Redis as long as it takes."""
    told = False
    while True:
        try:
            restore_unacknowledged(app)
            return True
        except (RedisError, KombuError, OSError) as error:
            if not told:
                _log.warning("waiting for redis", error=str(error))
                told = True
            status.tell("preparing", f"waiting for Redis: {error}")
        if status.wait_for_shutdown(_RETRY_SECONDS):
            return False


def _handled(handler: JobHandler, body: object) -> str:
    """Handle one message; an error of our own ends the process as a crash does.

    The message stays unacknowledged, the next session claims it as another attempt, and after three of them the
    service gives the job up: an error that went on silently would come back for ever.
    """
    try:
        return handler.handle(body)
    except Exception:  # The outermost loop: every message is one turn of it.
        _log.exception("job ended in an error of the daemon, which ends too")
        sys.stderr.flush()
        os._exit(CRASH_EXIT_CODE)
