"""Orders of the service: repeated in every heartbeat response until they are finished."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

Order = TypeVar("Order")


class Orders(Generic[Order]):
    """The waiting orders and the running one. Every method may be called from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without orders. clock: monotonic, in seconds."""
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting: dict[int, Order] = {}
        self._running: tuple[int, Order] | None = None
        self._finished: dict[int, float] = {}

    def replace(self, orders: Mapping[int, Order], sent_at: float) -> None:
        """Replace the waiting orders with those of a heartbeat response, by their numbers.

        sent_at: when the heartbeat was sent. Orders finished after it are outdated and ignored; an order in the
        response to a later heartbeat was reopened by the service.
        """
        with self._changed:
            self._finished = {number: at for number, at in self._finished.items() if at > sent_at}
            known = {*self._finished, *([self._running[0]] if self._running else [])}
            self._waiting = {number: order for number, order in orders.items() if number not in known}
            self._changed.notify_all()

    def start_next(self, seconds: float) -> Order | None:
        """Return the first waiting order, which becomes the running one; None if none arrives within `seconds`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._waiting, timeout=seconds):
                return None
            number = next(iter(self._waiting))
            self._running = number, self._waiting.pop(number)
            return self._running[1]

    def finish(self, rest_seconds: float = 0.0, number: int | None = None) -> None:
        """Finish the running order, or the order of this number, which may never have been started.

        rest_seconds: how long to ignore the order, because it failed or the service rejected its outcome.
        """
        with self._changed:
            if self._running is not None:
                number = self._running[0]
            if number is not None:
                self._finished[number] = self._clock() + rest_seconds
                self._waiting.pop(number, None)
            self._running = None

    def requeue(self) -> None:
        """Make the running order the first waiting one again."""
        with self._changed:
            if self._running is not None:
                number, order = self._running
                self._waiting = {number: order, **self._waiting}
            self._running = None
