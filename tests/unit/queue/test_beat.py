"""The end of the scheduler's process: SIGTERM may arrive while the main thread holds a lock that beat needs."""

import threading

from celery import Celery
from celery.beat import Scheduler
from celery.signals import worker_ready, worker_shutting_down

from orchestrator.scheduler.program import beat_with_worker
from tests.support.waiting import GENEROUS_SECONDS

LOCK, TICKING = threading.Lock(), threading.Event()


class NeedsLock(Scheduler):
    def tick(self, *_: object, **__: object) -> float:
        TICKING.set()
        with LOCK:
            return 0.01


def test_shutdown_does_not_wait_for_a_thread_that_needs_a_lock_of_the_main_thread() -> None:
    app = Celery("test", broker="memory://", set_as_current=False)
    app.conf.beat_scheduler = NeedsLock
    with beat_with_worker(app), LOCK:
        worker_ready.send(sender=None)
        assert TICKING.wait(GENEROUS_SECONDS)
        handler = threading.Thread(target=lambda: worker_shutting_down.send(sender=None), daemon=True)
        handler.start()
        handler.join(GENEROUS_SECONDS)
        assert not handler.is_alive()
