"""A thread next to the jobs, whose work ends early if the service does not answer or a job needs the machine."""

import threading
from collections.abc import Callable

import structlog

from orchestrator.compilation.native.steps import Interrupted
from orchestrator.daemon.session.machine_lock import Preempted
from orchestrator.daemon.session.status import Status
from orchestrator.shared.errors import Unreachable

_RETRY_SECONDS = 2.0
"""Pause while the service is unreachable."""

_log = structlog.get_logger(__name__)


class WorkerThread(threading.Thread):
    """Does its work again and again until the daemon shuts down; pauses while the service is unreachable."""

    def __init__(self, name: str, work: Callable[[], object], status: Status) -> None:
        """Create the thread; `start` runs it.

        work: one piece, which waits a moment if there is none. It may raise Unreachable, Interrupted and Preempted.
        """
        super().__init__(name=name, daemon=True)
        self._work = work
        self._status = status

    def run(self) -> None:
        """Work until the shutdown."""
        while not self._status.wait_for_shutdown(0):
            try:
                self._work()
            except Interrupted:
                return
            except Preempted:
                _log.info("work ended for a job or the shutdown", thread=self.name)
            except Unreachable as error:
                _log.warning("work waits for the service", thread=self.name, error=str(error))
                self._status.wait_for_shutdown(_RETRY_SECONDS)
            except Exception:  # The outermost loop: without it, runs would wait for builds or health checks forever.
                _log.exception("work failed", thread=self.name)
                self._status.wait_for_shutdown(_RETRY_SECONDS)
