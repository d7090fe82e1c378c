"""The build orders of the service: repeated in every heartbeat response until they are finished."""

import threading
import time
from collections.abc import Callable, Iterable

from orchestrator.wire.builds import BuildOrder

_REJECTED_REST_SECONDS = 60.0
"""How long an order is ignored after the service rejected its outcome."""


class BuildOrders:
    """The waiting orders and the running one. Every method may be called from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without orders. clock: monotonic, in seconds."""
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting: dict[int, BuildOrder] = {}
        self._running: BuildOrder | None = None
        self._finished: dict[int, float] = {}
        self._kept_builds: frozenset[str] = frozenset()

    def update(self, orders: Iterable[BuildOrder], keep: Iterable[str], sent_at: float) -> None:
        """Replace the waiting orders with those of a heartbeat response.

        sent_at: when the heartbeat was sent. Orders finished after it are outdated and ignored; an order in the
        response to a later heartbeat was reopened by the service.
        """
        with self._changed:
            self._kept_builds = frozenset(keep)
            self._finished = {number: at for number, at in self._finished.items() if at >= sent_at}
            known = {*self._finished, *([self._running.request_id] if self._running else [])}
            self._waiting = {order.request_id: order for order in orders if order.request_id not in known}
            self._changed.notify_all()

    def start_next(self, seconds: float) -> BuildOrder | None:
        """Return the first waiting order, which becomes the running one; None if none arrives within `seconds`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._waiting, timeout=seconds):
                return None
            self._running = self._waiting.pop(next(iter(self._waiting)))
            return self._running

    def finish(self) -> None:
        """Finish the running order: the service has its outcome."""
        self._end(self._clock())

    def reject(self) -> None:
        """Finish the running order, whose outcome the service rejected, and ignore the order for a while."""
        self._end(self._clock() + _REJECTED_REST_SECONDS)

    def requeue(self) -> None:
        """Make the running order the first waiting one again."""
        with self._changed:
            if self._running is not None:
                self._waiting = {self._running.request_id: self._running, **self._waiting}
            self._running = None

    @property
    def kept_builds(self) -> frozenset[str]:
        """Keys of the builds that unfinished runs name."""
        with self._changed:
            return self._kept_builds

    def _end(self, finished_at: float) -> None:
        with self._changed:
            if self._running is not None:
                self._finished[self._running.request_id] = finished_at
            self._running = None
