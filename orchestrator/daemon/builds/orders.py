"""Which builds the service wants, as its answers to heartbeats tell: again and again, until they are settled."""

import threading
import time
from collections.abc import Callable, Iterable

from orchestrator.wire.builds import BuildOrder

_REFUSED_REST_SECONDS = 60.0
"""After the service refused an outcome: before the order counts again."""


class BuildOrders:
    """The orders that wait. Every method may be called from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with none. clock: seconds, never going back."""
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting: dict[int, BuildOrder] = {}
        self._in_work: BuildOrder | None = None
        self._settled: dict[int, float] = {}
        self._kept: frozenset[str] = frozenset()

    def hear(self, orders: Iterable[BuildOrder], keep: Iterable[str], asked_at: float) -> None:
        """Take what an answer says; it replaces what the one before said.

        asked_at: when its heartbeat was sent. An order that was settled later than that is old news; one that is
        told in an answer to a later heartbeat was opened again.
        """
        with self._changed:
            self._kept = frozenset(keep)
            self._settled = {number: at for number, at in self._settled.items() if at >= asked_at}
            known = {*self._settled, *([self._in_work.request_id] if self._in_work else [])}
            self._waiting = {order.request_id: order for order in orders if order.request_id not in known}
            self._changed.notify_all()

    def begin(self, seconds: float) -> BuildOrder | None:
        """Return the first order that waits, which is in work from now on; None when none came within `seconds`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._waiting, timeout=seconds):
                return None
            self._in_work = self._waiting.pop(next(iter(self._waiting)))
            return self._in_work

    def settle(self) -> None:
        """The service has the outcome of the order in work."""
        self._end(self._clock())

    def refuse(self) -> None:
        """The service refused the outcome of the order in work: what it says again soon is not heard."""
        self._end(self._clock() + _REFUSED_REST_SECONDS)

    def put_back(self) -> None:
        """The order in work was left: it is the next one."""
        with self._changed:
            if self._in_work is not None:
                self._waiting = {self._in_work.request_id: self._in_work, **self._waiting}
            self._in_work = None

    @property
    def kept(self) -> frozenset[str]:
        """Builds that unfinished runs name."""
        with self._changed:
            return self._kept

    def _end(self, settled_at: float) -> None:
        with self._changed:
            if self._in_work is not None:
                self._settled[self._in_work.request_id] = settled_at
            self._in_work = None
