"""The Celery worker of one agent: its own queue, solo pool, late acknowledgment, no remote control."""

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

from orchestrator.daemon.jobs.claims import Disposition
from orchestrator.daemon.jobs.handler import JobHandler
from orchestrator.daemon.session.identity import Identity
from orchestrator.daemon.session.status import Status
from orchestrator.queue.addresses import BrokerAddress
from orchestrator.queue.agent_app import agent_app, execute_tasks, restore_unacknowledged
from orchestrator.wire.base import JOB_QUEUE, JOB_TASK

CRASH_EXIT_CODE = 70
_RETRY_SECONDS = 1.0
"""Pause between two attempts while Redis does not answer."""

_log = structlog.get_logger(__name__)


def make_app(identity: Identity, handler: JobHandler) -> Celery:
    """Return the agent's Celery app with its only task."""
    enrollment = identity.enrollment
    address = BrokerAddress.parse(enrollment.broker_url)
    app = agent_app(enrollment.agent_id, address.logged_in(enrollment.broker_username, enrollment.broker_password))

    # typing=False: a message with unexpected arguments must reach the handler, which drops it.
    @app.task(name=JOB_TASK, typing=False)
    def execute_job(*arguments: Any, **named: Any) -> None:
        body = arguments[0] if len(arguments) == 1 and not named else {"args": arguments, "kwargs": named}
        if _handle(handler, body) == "requeue":
            raise Reject("the job was stopped before its end", requeue=True)

    return app


def run_worker(app: Celery, status: Status) -> None:
    """Execute jobs until SIGTERM or SIGINT; the running execution is finished first and its job released.

    Raises Unavailable if an error ends the worker.
    """
    if not _restore_messages(app, status):
        return

    def shut_down(**_: object) -> None:
        status.shut_down()

    worker_shutting_down.connect(shut_down)
    try:
        execute_tasks(app, JOB_QUEUE, "daemon")
    except SystemExit:
        _log.info("worker ended")
    finally:
        worker_shutting_down.disconnect(shut_down)


def end_worker() -> None:
    """Request the end of this process's worker; may be called from any thread."""
    os.kill(os.getpid(), signal.SIGTERM)


def _restore_messages(app: Celery, status: Status) -> bool:
    """Requeue what a killed daemon left unacknowledged, once Redis answers; False if the daemon shuts down first."""
    logged = False
    while True:
        try:
            restore_unacknowledged(app)
            return True
        except (RedisError, KombuError, OSError) as error:
            if not logged:
                _log.warning("waiting for redis", error=str(error))
                logged = True
            status.report("preparing", f"waiting for Redis: {error}")
        if status.wait_for_shutdown(_RETRY_SECONDS):
            return False


def _handle(handler: JobHandler, body: object) -> Disposition:
    """Handle one message; an unexpected error ends the process, as a crash does.

    The message stays unacknowledged, the next session claims it as another attempt, and after three attempts without
    progress the service declares the job lost. Without the exit, the message would return forever.
    """
    try:
        return handler.handle(body)
    except Exception:  # The outermost loop: every message is one iteration.
        _log.exception("unexpected error in a job; the daemon exits")
        sys.stderr.flush()
        os._exit(CRASH_EXIT_CODE)
