"""Bounded work: what cannot begin in time is refused immediately, with the pause after which it may be repeated."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from orchestrator.errors import Overloaded


class WorkSlots:
    """Slots for expensive work in threads; a caller waits for one for a short time only."""

    def __init__(self, slots: int, wait_seconds: float, retry_after_seconds: int, work: str) -> None:
        """Allow this many pieces of work at the same time.

        work: noun phrase for messages, in the plural.
        """
        self._semaphore = threading.BoundedSemaphore(slots)
        self._wait_seconds = wait_seconds
        self._retry_after_seconds = retry_after_seconds
        self._work = work

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Hold a slot during the block; raise Overloaded if none becomes free in time."""
        if not self._semaphore.acquire(timeout=self._wait_seconds):
            raise Overloaded(
                f"The service is busy with other {self._work}.",
                remedy=f"Send the request again in {self._retry_after_seconds} s.",
                retry_after_seconds=self._retry_after_seconds,
            )
        try:
            yield
        finally:
            self._semaphore.release()
