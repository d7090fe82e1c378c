"""The service's request for a health check: repeated in every heartbeat response until a check is reported."""

import threading
import time
from collections.abc import Callable


class HealthCheckRequest:
    """At most one request. Every method may be called from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without a request. clock: monotonic, in seconds."""
        self._clock = clock
        self._changed = threading.Condition()
        self._requested = False
        self._running = False
        self._finished_at = 0.0

    def update(self, requested: bool, sent_at: float) -> None:
        """Store what a heartbeat response requests.

        sent_at: when the heartbeat was sent; a response to a heartbeat sent before the last check ended is outdated.
        """
        with self._changed:
            self._requested = requested and not self._running and sent_at >= self._finished_at
            self._changed.notify_all()

    def start(self, seconds: float) -> bool:
        """Return whether a check is requested within `seconds`; it is running until `finish` is called."""
        with self._changed:
            self._running = self._changed.wait_for(lambda: self._requested, timeout=seconds)
            self._requested = False
            return self._running

    def finish(self, rest_seconds: float = 0.0) -> None:
        """Finish the check. rest_seconds: how long to ignore requests after a check that failed or was rejected."""
        with self._changed:
            self._running = self._requested = False
            self._finished_at = self._clock() + rest_seconds
