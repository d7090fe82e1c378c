"""The scheduler's own Celery app: a beat that says when, a worker that does it, both in one process."""

from collections.abc import Callable

from celery import Celery
from kombu import Exchange, Queue

from orchestrator.queue.addresses import BrokerAddress
from orchestrator.queue.agent_app import SYSTEM_AUTHORITIES, TLSFiles, base_configuration

SCHEDULER_PREFIX = "cm:"
SCHEDULER_QUEUE = "ticks"
TICK_TASK = "ciphermark.tick"


def scheduler_app(
    address: BrokerAddress, tick_seconds: float, tick: Callable[[], None], tls: TLSFiles = SYSTEM_AUTHORITIES
) -> Celery:
    """Return the app whose one task does a tick, asked for by beat at this interval.

    A tick that waited for longer than two intervals is thrown away: after a pause, a hundred ticks in a row would do
    the work of one.
    """
    app = Celery("ciphermark-scheduler", set_as_current=False)
    app.conf.update(base_configuration(address, SCHEDULER_PREFIX, tls))
    app.conf.update(
        task_default_queue=SCHEDULER_QUEUE,
        task_queues=[Queue(SCHEDULER_QUEUE, Exchange(SCHEDULER_QUEUE, type="direct"), routing_key=SCHEDULER_QUEUE)],
        task_acks_late=False,
        # The schedule is one interval: kept in memory, there is no file that a kill could damage.
        beat_scheduler="celery.beat:Scheduler",
        beat_max_loop_interval=tick_seconds,
        beat_schedule={
            "tick": {
                "task": TICK_TASK,
                "schedule": tick_seconds,
                "options": {"expires": max(2 * tick_seconds, 1.0), "retry": False, "ignore_result": True},
            }
        },
    )

    @app.task(name=TICK_TASK)
    def do_tick() -> None:
        tick()

    return app
