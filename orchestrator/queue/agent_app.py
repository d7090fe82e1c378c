"""The Celery app of one agent's queue, for both ends: the scheduler sends jobs, the daemon's worker receives them.

Imports nothing of the service, because devices install only the daemon.
"""

import os
import warnings
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning
from kombu import Exchange, Queue

from orchestrator.queue.addresses import SOCKET_SECONDS, BrokerAddress
from orchestrator.queue.transport import PRIORITY_STEPS, register
from orchestrator.shared.errors import Unavailable
from orchestrator.wire.base import JOB_QUEUE, key_prefix

VISIBILITY_SECONDS = 86_400
"""Time after which an unacknowledged message is redelivered; no job takes that long."""


def base_configuration(address: BrokerAddress, prefix: str) -> dict[str, Any]:
    """Return the configuration that all Celery apps of this project share.

    JSON only (nothing is unpickled), no result backend (results are sent over HTTP), and no remote control (it needs a
    channel that all agents share).
    """
    return {
        "broker_url": address.celery_url,
        "broker_transport": register(),
        # The certificate of a Redis with TLS is verified by the operating system's authorities.
        "broker_use_ssl": {"ssl_cert_reqs": "required"} if address.scheme == "rediss" else None,
        "broker_transport_options": {
            "global_keyprefix": prefix,
            "visibility_timeout": VISIBILITY_SECONDS,
            "priority_steps": PRIORITY_STEPS,
            "socket_timeout": SOCKET_SECONDS,
            "socket_connect_timeout": SOCKET_SECONDS,
            "socket_keepalive": True,
        },
        "broker_pool_limit": 1,
        "broker_connection_retry": True,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "worker_consumer": "orchestrator.queue.consumer:ReconnectingConsumer",
        "task_serializer": "json",
        "accept_content": ["json"],
        "result_backend": None,
        "task_ignore_result": True,
        "task_store_errors_even_if_ignored": False,
        "worker_enable_remote_control": False,
        "worker_send_task_events": False,
        "worker_pool": "solo",
        "worker_concurrency": 1,
        "worker_prefetch_multiplier": 1,
        "worker_hijack_root_logger": False,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "task_publish_retry": False,
        "task_create_missing_queues": False,
        "enable_utc": True,
    }


def agent_app(agent_id: str, address: BrokerAddress) -> Celery:
    """Return a Celery app that has access to this agent's queue only.

    address: with the agent's credentials on a device, with the admin's in the scheduler.
    """
    app = Celery(f"ciphermark-agent-{agent_id}", set_as_current=False)
    app.conf.update(base_configuration(address, key_prefix(agent_id)))
    app.conf.update(
        task_acks_late=True,
        # The error of a job is reported in its records; redelivering the message would not help.
        task_acks_on_failure_or_timeout=True,
        task_reject_on_worker_lost=True,
        task_default_queue=JOB_QUEUE,
        task_queues=[Queue(JOB_QUEUE, Exchange(JOB_QUEUE, type="direct"), routing_key=JOB_QUEUE)],
    )
    return app


def solo_worker(app: Celery, queue: str, name: str) -> Any:
    """Return a worker of one queue that executes one task at a time in this process, without gossip and heartbeats.

    ``start()`` returns after SIGTERM, when the running task has ended.
    """
    # Celery warns when root accepts pickled messages; this worker accepts only JSON.
    warnings.filterwarnings("ignore", message="You're running the worker with superuser", category=SecurityWarning)
    return app.Worker(
        pool_cls="solo",
        concurrency=1,
        queues=[queue],
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
        loglevel="WARNING",
        redirect_stdouts=False,
        hostname=f"{name}@{os.uname().nodename}",
    )


def execute_tasks(app: Celery, queue: str, name: str) -> None:
    """Execute the tasks of one queue until SIGTERM.

    Raises Unavailable if an error ends the worker: Celery only logs it, and the program would seem to end regularly.
    """
    worker = solo_worker(app, queue, name)
    worker.start()
    if worker.exitcode:
        raise Unavailable(
            f"An error ended the worker of the queue {queue}.", remedy="Its log has the reason; start it again."
        )


def restore_unacknowledged(app: Celery) -> None:
    """Requeue the messages that a former worker of this queue received and never acknowledged.

    Call it only while the queue has no worker, which the lock on the daemon's data folder ensures. Celery itself
    would requeue them after the visibility timeout.
    """
    with app.connection_for_read() as connection:
        channel: Any = connection.channel()
        channel.visibility_timeout = 0
        channel.qos.restore_visible(num=None, interval=1)
