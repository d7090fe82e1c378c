"""The scheduler's Celery app: beat triggers the ticks and a worker executes them, both in one process."""

from collections.abc import Callable

from celery import Celery
from kombu import Exchange, Queue

from orchestrator.queue.addresses import BrokerAddress
from orchestrator.queue.agent_app import base_configuration

SCHEDULER_PREFIX = "cm:"
SCHEDULER_QUEUE = "ticks"
TICK_TASK = "ciphermark.tick"


TICK_SECONDS = 0.5
"""Interval of the scheduler's ticks."""


def scheduler_app(address: BrokerAddress, tick: Callable[[], None]) -> Celery:
    """Return the app whose only task executes a tick, triggered by beat every `TICK_SECONDS`.

    A tick that waited longer than two intervals expires, because after a pause one tick does the work of all.
    """
    app = Celery("ciphermark-scheduler", set_as_current=False)
    app.conf.update(base_configuration(address, SCHEDULER_PREFIX))
    app.conf.update(
        task_default_queue=SCHEDULER_QUEUE,
        task_queues=[
            # No acknowledgment: a tick that is lost in a crash is replaced by the next one, and each note of a delivery
            # would be written to the disk.
            Queue(SCHEDULER_QUEUE, Exchange(SCHEDULER_QUEUE, type="direct"), routing_key=SCHEDULER_QUEUE, no_ack=True)
        ],
        task_acks_late=False,
        # The schedule is one interval. In memory, it cannot be damaged by a kill, as a file could.
        beat_scheduler="celery.beat:Scheduler",
        beat_max_loop_interval=TICK_SECONDS,
        beat_schedule={
            "tick": {
                "task": TICK_TASK,
                "schedule": TICK_SECONDS,
                "options": {"expires": 2 * TICK_SECONDS, "retry": False, "ignore_result": True},
            }
        },
    )

    @app.task(name=TICK_TASK)
    def execute_tick() -> None:
        tick()

    return app
