"""Whether the service wants a check of the machine's health, as its answers to heartbeats tell until it has one."""

import threading
import time
from collections.abc import Callable


class CheckOrder:
    """One order at most. Every method may be called from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin without one. clock: seconds, never going back."""
        self._clock = clock
        self._changed = threading.Condition()
        self._wanted = False
        self._in_work = False
        self._settled_at = 0.0

    def hear(self, wanted: bool, asked_at: float) -> None:
        """Take what an answer says. asked_at: when its heartbeat was sent; what was settled later is old news."""
        with self._changed:
            self._wanted = wanted and not self._in_work and asked_at >= self._settled_at
            self._changed.notify_all()

    def begin(self, seconds: float) -> bool:
        """Tell whether a check is wanted within `seconds`; it is in work from then on, until it is settled."""
        with self._changed:
            self._in_work = self._changed.wait_for(lambda: self._wanted, timeout=seconds)
            self._wanted = False
            return self._in_work

    def settle(self, rest_seconds: float = 0.0) -> None:
        """The service has the check; or it cannot be made, and is not to be tried again before a rest."""
        with self._changed:
            self._in_work = self._wanted = False
            self._settled_at = self._clock() + rest_seconds
